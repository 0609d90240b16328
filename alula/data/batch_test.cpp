#include <limits>

#include "alula/data/dataset_test.h"
#include "alula/ops/operators.h"

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

TEST(Batch, NamesTheElementThatCannotBeStacked) {
  const auto make = [] {
    return [i = int64_t{0}](Element& e) mutable {
      e = Tensor(std::vector<int32_t>(i == 5 ? 2 : 1));
      return i++ < 8;
    };
  };
  const Dataset batches = Dataset::from_generator(make, {{}, {{int32, {kUnknown}}}}).batch(2);
  const char* text =
      "batch (step 2): element 5 cannot be stacked with those before it: it is int32[2], they are "
      "int32[1].";
  Element batch;
  Iterator first = batches.iterator();
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(first.next(batch));
  Iterator second = batches.iterator();
  second.restore(first.save());
  EXPECT_ERROR(first.next(batch), InvalidArgumentError, text);
  EXPECT_ERROR(second.next(batch), InvalidArgumentError, text);
  ASSERT_TRUE(second.next(batch));
  EXPECT_EQ(batch.tensor().shape(), (Shape{2, 1}));
  EXPECT_FALSE(second.next(batch));
}

TEST(Batch, OfUnevenElementsIsAnError) {
  EXPECT_ERROR(Dataset::range(3).batch(0), InvalidArgumentError,
               "the size must be positive. Got 0");
  EXPECT_ERROR(texts(Dataset::from_tensors({Tensor{1, 2}, Tensor{1}}).unbatch()),
               InvalidArgumentError,
               "unbatch (step 2): element 0: the first dimensions differ: int32[2] and int32[1]");
}

TEST(Batch, WithAnElementThatFailsIsPassedOverWhole) {
  const auto mapped = [](const Tensor& x) { return x + 0; };
  const std::string expected = "[0 1 2] ! [6 7 8] [9] ";
  EXPECT_EQ(with_errors(failing_numbers(10, 4).batch(3)), expected);
  EXPECT_EQ(with_errors(failing_numbers(10, 4).map(mapped).batch(3)), expected);
  EXPECT_EQ(with_errors(failing_numbers(10, 4).map(mapped, {.num_parallel_calls = 2}).batch(3)),
            expected);
  EXPECT_EQ(with_errors(failing_numbers(10, 4).prefetch(2).batch(3)), expected);
  EXPECT_EQ(with_errors(failing_numbers(10, 4).batch(3).unbatch()), "0 1 2 ! 6 7 8 9 ");
}

TEST(Batch, GoesOnBehindABatchThatCannotBeTakenApart) {
  const auto batches = [] {
    return [at = 0](Element& element) mutable {
      element = {Tensor(std::vector<int>(at == 0 ? 6 : 2, 7)), Tensor{9, 9}};
      return at++ < 2;
    };
  };
  const Dataset dataset =
      Dataset::from_generator(batches, {{.kind = Structure::Kind::kTuple, .items = {{}, {}}},
                                        {{int32, {kUnknown}}, {int32, {kUnknown}}}});
  EXPECT_EQ(with_errors(dataset.unbatch()), "! (7, 9) (7, 9) ");
}

TEST(Batch, TakesNoMoreMemoryThanThereAreElements) {
  EXPECT_EQ(
      texts(Dataset::from_tensor_slices(Tensor{"a", "b"}).prefetch(1).batch(int64_t{1} << 50)),
      (std::vector<std::string>{"[b'a' b'b']"}));
  EXPECT_EQ(Dataset::range(std::numeric_limits<int64_t>::max()).batch(2).cardinality(),
            int64_t{1} << 62);
}
