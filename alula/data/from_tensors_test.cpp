#include "alula/data/dataset_test.h"
#include "alula/ops/fill.h"
#include "alula/ops/random.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

TEST(FromTensorSlices, GivesTheSlices) {
  const Dataset rows = Dataset::from_tensor_slices(Tensor{{1, 2}, {3, 4}, {5, 6}});
  EXPECT_EQ(texts(rows), (std::vector<std::string>{"[1 2]", "[3 4]", "[5 6]"}));
  EXPECT_EQ(rows.cardinality(), 3);
  EXPECT_EQ(to_string(rows.element_spec()), "int32[2]");
  EXPECT_EQ(texts(rows), texts(rows));
}

TEST(FromTensorSlices, TakesAnyNesting) {
  const Dataset nested = Dataset::from_tensor_slices(
      {{"x", Element{Tensor{1, 2}, Tensor{"a", "b"}}}, {"y", Tensor{true, false}}});
  EXPECT_EQ(texts(nested),
            (std::vector<std::string>{"{x: (1, b'a'), y: True}", "{x: (2, b'b'), y: False}"}));
  EXPECT_EQ(to_string(nested.element_spec()), "{x: (int32[], string[]), y: bool[]}");
  expect_same_in_blocks(nested);
  expect_restores_everywhere(nested);
}

TEST(FromTensorSlices, GivesConsecutiveBatchesWithoutACopy) {
  const Tensor x = random::uniform({100, 64});
  const Dataset batches = Dataset::from_tensor_slices(x).batch(32);
  int64_t row = 0;
  for (const Element& batch : batches) {
    EXPECT_EQ(batch.tensor().data(), x.span<float>().data() + row * 64);
    row += batch.tensor().shape()[0];
    if (row == 96) break;  // the last one is small, and copied
  }
}

TEST(FromTensorSlices, OfNothingIsEmpty) {
  const Dataset none = Dataset::from_tensor_slices(zeros({0, 3}));
  EXPECT_EQ(none.cardinality(), 0);
  EXPECT_TRUE(texts(none).empty());
  EXPECT_TRUE(texts(none.batch(3)).empty());
}

TEST(FromTensorSlices, SaysWhatIsWrong) {
  EXPECT_ERROR(Dataset::from_tensor_slices({Tensor{1, 2}, Tensor{1}}), InvalidArgumentError,
               "the first dimensions differ. Got (int32[2], int32[1])");
  EXPECT_ERROR(Dataset::from_tensor_slices(Tensor(1)), InvalidArgumentError,
               "a scalar has no slices. Got int32[]. Use from_tensors");
  EXPECT_ERROR(Dataset::from_tensor_slices(Element::tuple({})), InvalidArgumentError,
               "there is no tensor");
}

TEST(FromTensors, GivesOneElement) {
  const Dataset one = Dataset::from_tensors({Tensor{{1, 2}, {3, 4}}, Tensor("a")});
  EXPECT_EQ(one.cardinality(), 1);
  EXPECT_EQ(texts(one), (std::vector<std::string>{"([[1 2]\n [3 4]], b'a')"}));
  EXPECT_ERROR(Dataset::from_tensors(Element::tuple({})), InvalidArgumentError,
               "there is no tensor");
}
