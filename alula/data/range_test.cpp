#include <limits>

#include "alula/data/dataset_test.h"

using namespace alula::data;
using namespace alula::data::testing;

TEST(Range, CountsAsTensorFlowDoes) {
  using Numbers = std::vector<int64_t>;
  EXPECT_EQ(numbers(Dataset::range(4)), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(numbers(Dataset::range(2, 5)), (Numbers{2, 3, 4}));
  EXPECT_EQ(numbers(Dataset::range(1, 6, 2)), (Numbers{1, 3, 5}));
  EXPECT_EQ(numbers(Dataset::range(5, 0, -2)), (Numbers{5, 3, 1}));
  EXPECT_TRUE(numbers(Dataset::range(5, 1)).empty());
  EXPECT_TRUE(numbers(Dataset::range(0, 5, -1)).empty());
  EXPECT_EQ(Dataset::range(1, 6, 2).cardinality(), 3);
  EXPECT_EQ(Dataset::range(-3).cardinality(), 0);
  EXPECT_EQ(Dataset::range(std::numeric_limits<int64_t>::max()).cardinality(),
            std::numeric_limits<int64_t>::max());
}

TEST(Range, IsTheSameInBlocksAndRestored) {
  expect_same_in_blocks(Dataset::range(3, 40, 3));
  expect_restores_everywhere(Dataset::range(5));
}

TEST(Range, SaysWhatIsWrong) {
  using alula::InvalidArgumentError;
  EXPECT_ERROR(Dataset::range(0, 5, 0), InvalidArgumentError, "the step must not be 0");
  constexpr auto kMin = std::numeric_limits<int64_t>::min();
  EXPECT_ERROR(Dataset::range(kMin, std::numeric_limits<int64_t>::max()), InvalidArgumentError,
               "too many numbers");
}
