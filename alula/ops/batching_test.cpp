#include "alula/ops/batching.h"

#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

TEST(Batching, LoopsOverElements) {
  const Tensor a = random_tensor({float32, {3, 2, 5}}), b = random_tensor({float32, {2, 5}});
  const std::vector<BatchedInput> inputs = {{a, true}, {b, false}};
  expect_equal(batching::in_loop(Concat(0), inputs, 3)[0],
               to_array(concat({a, broadcast_to(b, {3, 2, 5})}, 1)), float32);
  const Tensors largest = batching::in_loop(TopK(2), std::span(inputs).first(1), 3);
  ASSERT_EQ(largest.size(), 2u);
  expect_equal(largest[0], to_array(top_k(a, 2).values), float32);
  expect_equal(largest[1], to_array(top_k(a, 2).indices), int32);
}

TEST(Batching, AlignsElementsOfDifferentRank) {
  const Tensor a = random_tensor({float32, {4, 3}}), b = random_tensor({float32, {2, 1}});
  const Tensors aligned = batching::aligned(std::vector<BatchedInput>{{a, true}, {b, false}});
  EXPECT_EQ(aligned[0].shape(), (Shape{4, 1, 3}));
  EXPECT_EQ(aligned[1].shape(), (Shape{2, 1}));
}

TEST(Batching, PutsElementsBesideOneAnother) {
  const Tensor x = random_tensor({int32, {2, 3, 4, 5}}, {0, 100});
  const Tensor beside = batching::merged(x, 1);
  EXPECT_EQ(beside.shape(), (Shape{3, 8, 5}));
  expect_equal(beside, to_array(concat(unstack(x), 1)), int32);
  expect_equal(batching::parted(beside, 1, 2), to_array(x), int32);
  expect_equal(batching::unfolded(batching::folded(x), 2), to_array(x), int32);
  expect_equal(batching::moved_axis(x, 3, 1), to_array(transpose(x, {0, 3, 1, 2})), int32);
}

TEST(Batching, RulesKeepALeadingDimensionOfOne) {
  const std::vector<BatchedInput> one = {{random_tensor({float32, {1, 2, 1}}), true}};
  EXPECT_EQ(Squeeze().batched(one, 1)[0].shape(), (Shape{1, 2}));
  EXPECT_EQ(ReduceSum().batched(one, 1)[0].shape(), (Shape{1}));
}
