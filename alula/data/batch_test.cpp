#include "alula/data/dataset_test.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

TEST(Batch, StacksElements) {
  const Dataset batches = Dataset::range(7).batch(3);
  EXPECT_EQ(texts(batches), (std::vector<std::string>{"[0 1 2]", "[3 4 5]", "[6]"}));
  EXPECT_EQ(batches.cardinality(), 3);
  EXPECT_EQ(to_string(batches.element_spec()), "int64[?]");
  EXPECT_EQ(to_string(Dataset::range(6).batch(3).element_spec()), "int64[3]");
  EXPECT_EQ(texts(Dataset::range(8).batch(2).batch(2)),
            (std::vector<std::string>{"[[0 1]\n [2 3]]", "[[4 5]\n [6 7]]"}));
}

TEST(Batch, CanLeaveOutTheRemainder) {
  const Dataset batches = Dataset::range(7).batch(3, {.drop_remainder = true});
  EXPECT_EQ(texts(batches), (std::vector<std::string>{"[0 1 2]", "[3 4 5]"}));
  EXPECT_EQ(batches.cardinality(), 2);
  EXPECT_EQ(to_string(batches.element_spec()), "int64[3]");
}

TEST(Batch, ComesApartAgain) {
  const Dataset pairs =
      Dataset::from_tensor_slices({Tensor{1, 2, 3, 4, 5}, Tensor{"a", "b", "c", "d", "e"}});
  const Dataset again = pairs.batch(2).unbatch();
  EXPECT_EQ(texts(again), texts(pairs));
  EXPECT_EQ(again.element_spec(), pairs.element_spec());
  EXPECT_EQ(again.cardinality(), kUnknownCardinality);
  EXPECT_EQ(Dataset::range(6).batch(2).unbatch().cardinality(), 6);
  expect_same_in_blocks(again);
  expect_restores_everywhere(again);
  expect_restores_everywhere(pairs.batch(2));
  EXPECT_ERROR(Dataset::range(3).unbatch(), InvalidArgumentError,
               "unbatch: a scalar has no slices. Got int64[]");
}

TEST(Batch, OfUnevenElementsIsAnError) {
  EXPECT_ERROR(Dataset::range(3).batch(0), InvalidArgumentError,
               "the size must be positive. Got 0");
  EXPECT_ERROR(texts(Dataset::from_tensors({Tensor{1, 2}, Tensor{1}}).unbatch()),
               InvalidArgumentError, "the first dimensions differ: int32[2] and int32[1]");
}
