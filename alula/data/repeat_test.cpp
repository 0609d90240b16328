#include "alula/data/dataset_test.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

TEST(Repeat, GoesThroughTheDataSeveralTimes) {
  EXPECT_EQ(numbers(Dataset::range(2).repeat(3)), (std::vector<int64_t>{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(Dataset::range(2).repeat(3).cardinality(), 6);
  EXPECT_TRUE(numbers(Dataset::range(2).repeat(0)).empty());
  EXPECT_EQ(Dataset::range(2).repeat().cardinality(), kInfiniteCardinality);
  EXPECT_EQ(numbers(Dataset::range(2).repeat().take(5)), (std::vector<int64_t>{0, 1, 0, 1, 0}));
  expect_same_in_blocks(Dataset::range(5).repeat(3));
  expect_restores_everywhere(Dataset::range(3).repeat(2));
  expect_restores_everywhere(Dataset::range(5).repeat(2).batch(3));
}

TEST(Repeat, OfNothingEnds) {
  EXPECT_TRUE(numbers(Dataset::range(0).repeat()).empty());
  EXPECT_TRUE(texts(Dataset::range(0).repeat().batch(3)).empty());
  EXPECT_EQ(Dataset::range(0).repeat().cardinality(), 0);
}

TEST(Repeat, SaysWhatIsWrong) {
  EXPECT_ERROR(Dataset::range(2).repeat(-2), InvalidArgumentError,
               "must not be negative, or -1 for ever. Got -2");
}

TEST(TakeAndSkip, AreParts) {
  const Dataset ten = Dataset::range(10);
  EXPECT_EQ(numbers(ten.take(3)), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(numbers(ten.skip(7)), (std::vector<int64_t>{7, 8, 9}));
  EXPECT_EQ(numbers(ten.take(20)).size(), 10u);
  EXPECT_TRUE(numbers(ten.skip(20)).empty());
  EXPECT_EQ(numbers(ten.take(-1)).size(), 10u);
  EXPECT_TRUE(numbers(ten.skip(-1)).empty());
  EXPECT_EQ(ten.take(3).cardinality(), 3);
  EXPECT_EQ(ten.skip(7).cardinality(), 3);
  EXPECT_EQ(ten.repeat().take(7).cardinality(), 7);
  EXPECT_EQ(ten.repeat().skip(7).cardinality(), kInfiniteCardinality);
  expect_same_in_blocks(ten.skip(2).take(5));
  expect_restores_everywhere(ten.skip(2).take(5));
  EXPECT_ERROR(ten.take(-2), InvalidArgumentError, "take: the number must not be negative");
  EXPECT_ERROR(ten.skip(-2), InvalidArgumentError, "skip: the number must not be negative");
}

TEST(TakeAndSkip, CountElementsThatFail) {
  EXPECT_EQ(with_errors(failing_numbers(8, 1).skip(3)), "! 3 4 5 6 7 ");
  EXPECT_EQ(with_errors(failing_numbers(8, 1).take(4)), "0 ! 2 3 ");
}

TEST(TakeAndSkip, AStateIsForTheSamePipelineAlone) {
  Iterator first = Dataset::range(10).skip(3).iterator();
  Iterator other = Dataset::range(10).skip(4).iterator();
  EXPECT_ERROR(other.restore(first.save()), InvalidArgumentError, "saved by another pipeline");
}
