#include "alula/data/dataset_test.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

TEST(Enumerate, NumbersElements) {
  const Dataset numbered = Dataset::range(7, 10).enumerate();
  EXPECT_EQ(texts(numbered), (std::vector<std::string>{"(0, 7)", "(1, 8)", "(2, 9)"}));
  EXPECT_EQ(to_string(numbered.element_spec()), "(int64[], int64[])");
  EXPECT_EQ(numbered.cardinality(), 3);
  EXPECT_EQ(texts(Dataset::range(2).enumerate(-5)),
            (std::vector<std::string>{"(-5, 0)", "(-4, 1)"}));
  EXPECT_EQ(texts(numbered.skip(2)), (std::vector<std::string>{"(2, 9)"}));
  const Dataset nested = Dataset::zip({Dataset::range(2), Dataset::range(2)}).enumerate();
  EXPECT_EQ(texts(nested)[1], "(1, (1, 1))");
}

TEST(Enumerate, IsTheSameInBlocksAndRestores) {
  expect_same_in_blocks(Dataset::range(17).enumerate(3));
  expect_restores_everywhere(Dataset::range(9).enumerate(3));
  expect_restores_everywhere(Dataset::range(9).enumerate(3).batch(2));
}

TEST(Enumerate, NumbersStayBehindAnError) {
  expect_goes_on_behind_an_error([](const Dataset& each) { return each.enumerate(7); });
}
