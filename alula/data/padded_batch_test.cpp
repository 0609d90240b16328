#include "alula/data/dataset_test.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

namespace {

/// Elements of different shapes.
Dataset of(std::vector<Element> elements, const Spec& spec) {
  const auto make = [elements] {
    return [elements, i = size_t{0}](Element& e) mutable {
      if (i == elements.size()) return false;
      e = elements[i++];
      return true;
    };
  };
  ElementSpec all{elements[0].structure(), {}};
  all.specs.assign(all.structure.leaves(), spec);
  return Dataset::from_generator(make, all);
}

Dataset ragged() { return of({Tensor{1, 2}, Tensor{3}, Tensor{4, 5, 6}}, {int32, {kUnknown}}); }

}  // namespace

// What TensorFlow gives for the same.
TEST(PaddedBatch, PadsToTheLargest) {
  EXPECT_EQ(texts(ragged().padded_batch(2)),
            (std::vector<std::string>{"[[1 2]\n [3 0]]", "[[4 5 6]]"}));
  EXPECT_EQ(to_string(ragged().padded_batch(2).element_spec()), "int32[?,?]");
  const PaddedBatchOptions options{
      .padded_shapes = {{4}}, .padding_values = {Tensor(9)}, .drop_remainder = true};
  EXPECT_EQ(texts(ragged().padded_batch(2, options)),
            (std::vector<std::string>{"[[1 2 9 9]\n [3 9 9 9]]"}));
  EXPECT_EQ(to_string(ragged().padded_batch(2, options).element_spec()), "int32[2,4]");
  EXPECT_EQ(ragged().padded_batch(2).cardinality(), kUnknownCardinality);
  EXPECT_EQ(Dataset::range(5).padded_batch(2).cardinality(), 3);
  EXPECT_EQ(Dataset::range(5).padded_batch(2, {.drop_remainder = true}).cardinality(), 2);
}

TEST(PaddedBatch, PadsInAllDimensions) {
  const Dataset planes =
      of({Tensor{{{1, 2}}, {{3, 4}}}, Tensor{{{5, 6}, {7, 8}, {9, 10}}}, Tensor{{{11, 12}}}},
         {int32, {kUnknown, kUnknown, 2}});
  EXPECT_EQ(texts(planes.padded_batch(3)).size(), 1u);
  EXPECT_EQ((*planes.padded_batch(3).begin()).tensor().to_vector<int32_t>(),
            (std::vector<int32_t>{1, 2, 0, 0, 0, 0, 3,  4,  0, 0, 0, 0, 5, 6, 7, 8, 9, 10,
                                  0, 0, 0, 0, 0, 0, 11, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(to_string(planes.padded_batch(3).element_spec()), "int32[?,?,?,2]");
}

TEST(PaddedBatch, TakesStringsScalarsAndEmptyTensors) {
  const Dataset words =
      of({Tensor{"a", "b"}, Tensor(std::vector<std::string>{})}, {string, {kUnknown}});
  EXPECT_EQ((*words.padded_batch(2).begin()).tensor().to_vector<std::string>(),
            (std::vector<std::string>{"a", "b", "", ""}));
  EXPECT_EQ((*words.padded_batch(2, {.padding_values = {Tensor("-")}}).begin())
                .tensor()
                .to_vector<std::string>(),
            (std::vector<std::string>{"a", "b", "-", "-"}));
  EXPECT_EQ(flat_numbers(Dataset::range(5).padded_batch(2)), numbers(Dataset::range(5)));
}

TEST(PaddedBatch, Restores) { expect_restores_everywhere(ragged().padded_batch(2)); }

TEST(PaddedBatch, ChecksWhatItIsGiven) {
  EXPECT_ERROR(ragged().padded_batch(0), InvalidArgumentError, "the size must be positive. Got 0.");
  EXPECT_ERROR(ragged().padded_batch(2, {.padded_shapes = {{4}, {4}}}), InvalidArgumentError,
               "padded_shapes takes one shape for each of the 1 tensors of int32[?]. Got 2.");
  EXPECT_ERROR(ragged().padded_batch(2, {.padded_shapes = {{4, 4}}}), InvalidArgumentError,
               "cannot be padded to another rank. Got [4,4] for int32[?].");
  EXPECT_ERROR(Dataset::range(10).batch(5).padded_batch(2, {.padded_shapes = {{4}}}),
               InvalidArgumentError, "larger than what they are to be padded to. Got int64[5]");
  EXPECT_ERROR(texts(ragged().padded_batch(2, {.padded_shapes = {{2}}})), InvalidArgumentError,
               "padded_batch (step 2): an element is larger than what it is to be padded to. Got "
               "int32[3], to be padded to [2].");
  EXPECT_ERROR(ragged().padded_batch(2, {.padding_values = {Tensor(1), Tensor(1)}}),
               InvalidArgumentError, "padding_values takes one value");
  EXPECT_ERROR(ragged().padded_batch(2, {.padding_values = {Tensor(1.5f)}}), InvalidArgumentError,
               "must be a scalar of its dtype. Got float32[].");
}

TEST(PaddedBatch, FailsWholeAndGoesOn) {
  EXPECT_EQ(survivors(failing_numbers(12, 5).padded_batch(4)).elements,
            survivors(failing_numbers(12, 5).batch(4)).elements);
  expect_goes_on_behind_an_error([](const Dataset& each) { return each.padded_batch(4); },
                                 {.in_blocks = false});
}
