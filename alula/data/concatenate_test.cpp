#include "alula/data/dataset_test.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

TEST(Concatenate, IsOneBehindTheOther) {
  const Dataset both = Dataset::range(3).concatenate(Dataset::range(10, 12));
  EXPECT_EQ(numbers(both), (std::vector<int64_t>{0, 1, 2, 10, 11}));
  EXPECT_EQ(both.cardinality(), 5);
  EXPECT_EQ(numbers(both.skip(4)), (std::vector<int64_t>{11}));
  EXPECT_EQ(numbers(both.skip(2)), (std::vector<int64_t>{2, 10, 11}));
  EXPECT_EQ(both.concatenate(both.repeat()).cardinality(), kInfiniteCardinality);
  EXPECT_EQ(numbers(Dataset::range(0).concatenate(Dataset::range(2))),
            (std::vector<int64_t>{0, 1}));
}

TEST(Concatenate, IsTheSameInBlocksAndRestores) {
  const Dataset both = Dataset::range(8).concatenate(Dataset::range(100, 111));
  expect_same_in_blocks(both);
  expect_same_in_blocks(both.concatenate(Dataset::range(0)));
  expect_restores_everywhere(both);
  expect_restores_everywhere(both.batch(5));
}

TEST(Concatenate, ShufflesOneBehindTheOtherDifferAndRestore) {
  const Dataset shuffled = Dataset::range(20).shuffle(20);
  const std::vector<int64_t> all = numbers(shuffled.concatenate(shuffled));
  EXPECT_NE(std::vector<int64_t>(all.begin(), all.begin() + 20),
            std::vector<int64_t>(all.begin() + 20, all.end()));
  expect_restores_everywhere(shuffled.concatenate(shuffled));
}

TEST(Concatenate, MergesShapes) {
  const Dataset a = Dataset::from_tensors(Tensor{{1, 2}});
  const Dataset b = Dataset::from_tensors(Tensor{{1, 2}, {3, 4}});
  EXPECT_EQ(to_string(a.concatenate(b).element_spec()), "int32[?,2]");
  EXPECT_ERROR(texts(a.concatenate(b).batch(2)), InvalidArgumentError, "cannot be stacked");
}

TEST(Concatenate, WantsTheSameKind) {
  EXPECT_ERROR(Dataset::range(3).concatenate(Dataset::from_tensors(Tensor(1.5f))),
               InvalidArgumentError,
               "concatenate: the elements are of different kinds. Got int64[] and float32[].");
  EXPECT_ERROR(Dataset::range(3).concatenate(Dataset::range(4).batch(2)), InvalidArgumentError,
               "different kinds");
}

TEST(Concatenate, GoesOnBehindAnError) {
  expect_goes_on_behind_an_error(
      [](const Dataset& each) { return each.concatenate(Dataset::range(7)); });
  expect_goes_on_behind_an_error(
      [](const Dataset& each) { return Dataset::range(7).concatenate(each); });
}
