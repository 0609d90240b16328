#include "alula/ops/conv2d_fused.h"

#include "alula/ops/add.h"
#include "alula/ops/elementwise.h"
#include "alula/ops/operators.h"
#include "alula/ops/pool2d_test.h"
#include "alula/ops/relu.h"
#include "alula/scalar/compose.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

using Pooling = Conv2DFused::Pooling;

/// max(value + bias, 0), and the value itself.
const scalar::Program* bias_and_relu(DType dtype) {
  scalar::Builder builder;
  const Scalar value = builder.input(dtype), bias = builder.input(dtype);
  const Scalar results[] = {max(value + bias, 0), value};
  return &scalar::interned(builder.finish("bias_and_relu", results));
}

struct Case {
  Spec input;
  Shape filter;
  Conv2DOptions options{};
  Pool2DOptions pool{};
  Pooling pooling = Pooling::kMaxWithPositions;
};

Array plain_pooled(const Array& whole, const Case& c) {
  if (c.pooling == Pooling::kNone) return whole;
  Array pooled(plain_pool2d_shape(whole.shape, c.pool));
  const std::vector<int64_t> winners = plain_winners(whole, c.pool);
  for (int64_t i = 0; i < pooled.size(); ++i) pooled.values[i] = whole.values[winners[i]];
  return pooled;
}

/// Output `output` of the op with a program: 0 the activation, 1 the value.
void check_fused(const Case& c) {
  Conv2DFused op(c.options);
  op.pooling = c.pooling;
  op.pool = c.pool;
  op.epilogue = bias_and_relu(c.input.dtype);
  const Tensor input = random_tensor(c.input, {-1, 1}),
               filter = random_tensor(c.input.with(c.filter), {-1, 1}),
               bias = random_tensor(c.input.with({c.filter[3]}), {-1, 1});
  const double terms = static_cast<double>(c.filter[0] * c.filter[1] * c.filter[2]);
  for (const size_t output : {0, 1})
    OpTest::check([&](const std::vector<Tensor>& in) { return call_all(op, in)[output]; },
                  {input, filter, bias},
                  [&](const std::vector<Array>& in) {
                    Array result = plain_pooled(plain_conv2d(in[0], in[1], c.options), c);
                    if (output == 1) return result;
                    for (int64_t i = 0; i < result.size(); ++i)
                      result.values[i] =
                          std::max(result.values[i] + in[2].values[i % c.filter[3]], 0.0);
                    return result;
                  },
                  {.scale = terms, .gradient = false});
  if (c.pooling != Pooling::kMaxWithPositions) return;
  // Of the same convolution: near ties may fall differently in the reference.
  const Tensor positions = call_all(op, std::vector{input, filter, bias})[2];
  const Tensor expected = max_pool2d_with_positions(conv2d(input, filter, c.options), c.pool)[1];
  EXPECT_EQ(positions.to_vector<uint8_t>(), expected.to_vector<uint8_t>());
}

}  // namespace

OP_TEST(conv2d_fused) {
  for (DType dtype : {float32, float64}) {
    for (Pooling pooling : {Pooling::kNone, Pooling::kMax, Pooling::kMaxWithPositions}) {
      check_fused({{dtype, {2, 9, 10, 1}}, {3, 3, 1, 32}, {}, {}, pooling});
      check_fused({{dtype, {2, 9, 11, 3}}, {3, 2, 3, 5}, {.padding = "SAME"}, {}, pooling});
      check_fused({{dtype, {1, 12, 11, 16}},
                   {3, 3, 16, 33},
                   {.strides = 2, .padding = "SAME"},
                   {.ksize = 3, .strides = 2, .padding = "SAME"},
                   pooling});
    }
  }
}

TEST(Conv2DFused, TakesEveryOption) {
  for (const Size2 strides : {Size2(1), Size2(2)})
    for (const Padding& padding : {Padding("VALID"), Padding("SAME"), Padding(0, 2, 3, 1)})
      for (const int64_t groups : {1, 2, 4})
        for (const Pool2DOptions& pool : {Pool2DOptions{},
                                          {.ksize = 3, .strides = 2},
                                          {.ksize = 3, .strides = 1, .padding = "SAME"},
                                          {.ksize = {1, 2}, .strides = {2, 3}}})
          check_fused({{float32, {2, 11, 12, 4}},
                       {3, 3, 4 / groups, 8},
                       {.strides = strides, .padding = padding},
                       pool});
}

TEST(Conv2DFused, IsSharedByThreads) {
  check_fused({{float32, {40, 28, 28, 1}}, {3, 3, 1, 32}});
  check_fused({{float32, {1, 64, 64, 3}}, {3, 3, 3, 32}});
  check_fused({{float32, {3, 64, 64, 3}}, {3, 3, 3, 32}, {.padding = "SAME"}});
  check_fused({{float32, {3, 30, 30, 16}}, {3, 3, 8, 64}, {.padding = "SAME"}});  // 2 groups
  check_fused({{float32, {3, 30, 30, 16}}, {5, 5, 16, 70}, {.padding = "SAME"}, {.ksize = 3}});
  check_fused({{float32, {3, 30, 30, 16}}, {5, 5, 16, 70}, {}, {}, Pooling::kNone});
}

TEST(Conv2DFused, TakesLargeFilters) {
  for (Pooling pooling : {Pooling::kNone, Pooling::kMax, Pooling::kMaxWithPositions})
    check_fused({{float32, {2, 9, 10, 80}}, {3, 3, 80, 24}, {.padding = "SAME"}, {}, pooling});
}

TEST(Conv2DFused, TakesEmptyInputs) {
  check_fused({{float32, {0, 5, 5, 3}}, {3, 3, 3, 4}});
  check_fused({{float32, {2, 5, 5, 3}}, {3, 3, 3, 0}});
}

/// Bias and activation, one result: what is computed in registers.
TEST(Conv2DFused, RunsShortPrograms) {
  const Tensor x = random_tensor({float32, {3, 11, 12, 3}}, {-1, 1}),
               w = random_tensor({float32, {3, 3, 3, 64}}, {-1, 1}),
               bias = random_tensor({float32, {64}}, {-3, 3});
  using F = Scalar (*)(Scalar, Scalar);
  const F functions[] = {[](Scalar x, Scalar b) { return max(x + b, 0); },
                         [](Scalar x, Scalar b) { return max(x + b, 1); },
                         [](Scalar x, Scalar b) { return x + b; },
                         [](Scalar x, Scalar b) { return b + x; },
                         [](Scalar x, Scalar b) { return x - b; },
                         [](Scalar x, Scalar b) { return max(x, b); },
                         [](Scalar x, Scalar b) { return min(x + b, 0); }};
  const Tensor pooled = max_pool2d(conv2d(x, w));
  for (const F& f : functions) {
    scalar::Builder builder;
    const Scalar inputs[] = {builder.input(float32), builder.input(float32)};
    const Scalar results[] = {f(inputs[0], inputs[1])};
    Conv2DFused op;
    op.pooling = Pooling::kMax;
    op.epilogue = &scalar::interned(builder.finish("short", results));
    const ElementwiseOp plain(*op.epilogue);
    expect_equal(call(op, x, w, bias), to_array(call(plain, pooled, bias)), float32);
  }
}

TEST(Conv2DFused, LetsNaNPass) {
  Array input(Shape{1, 6, 6, 1});
  input.values.assign(36, 1);
  input.values[14] = std::numeric_limits<double>::quiet_NaN();
  const Tensor x = to_tensor(input, float32), w = random_tensor({float32, {3, 3, 1, 32}}),
               bias = random_tensor({float32, {32}});
  scalar::Builder builder;
  const Scalar inputs[] = {builder.input(float32), builder.input(float32)};
  const Scalar results[] = {max(inputs[0] + inputs[1], 0)};
  Conv2DFused op;
  op.pooling = Pooling::kMaxWithPositions;
  op.epilogue = &scalar::interned(builder.finish("relu", results));
  const Tensors results_of = call_all(op, std::vector{x, w, bias});
  const Tensors expected = max_pool2d_with_positions(conv2d(x, w));
  expect_equal(results_of[0], to_array(relu(expected[0] + bias)), float32);
  EXPECT_EQ(results_of[1].to_vector<uint8_t>(), expected[1].to_vector<uint8_t>());
}

TEST(Conv2DFused, NeedsNoProgram) {
  const Tensor x = random_tensor({float32, {2, 8, 8, 3}}),
               w = random_tensor({float32, {3, 3, 3, 8}});
  Conv2DFused op;
  op.pooling = Pooling::kMax;
  expect_equal(call(op, x, w), to_array(max_pool2d(conv2d(x, w))), float32);
}

TEST(Conv2DFused, AddsATensorOfTheResultsShape) {
  const Tensor x = random_tensor({float32, {20, 8, 9, 3}}),
               w = random_tensor({float32, {3, 3, 3, 20}}),
               more = random_tensor({float32, {20, 6, 7, 20}});
  Conv2DFused op;
  op.epilogue = bias_and_relu(float32);
  Array expected = to_array(conv2d(x, w));
  const Array added = to_array(more);
  for (int64_t i = 0; i < expected.size(); ++i)
    expected.values[i] = std::max(expected.values[i] + added.values[i], 0.0);
  expect_equal(call_all(op, std::vector{x, w, more})[0], expected, float32, {.scale = 10});
}

TEST(Conv2DFused, SaysWhatIsWrong) {
  const Tensor x = random_tensor({float32, {1, 8, 8, 3}}),
               w = random_tensor({float32, {3, 3, 3, 8}});
  Conv2DFused op;
  EXPECT_ERROR(call(op, x, w, w), InvalidArgumentError,
               "conv2d_fused: without a program there are 2 inputs");
  EXPECT_ERROR(call(op, x, random_tensor({float64, {3, 3, 3, 8}})), InvalidArgumentError,
               "conv2d_fused: takes float32, float64, the same for input and filter");
  op.epilogue = bias_and_relu(float32);
  EXPECT_ERROR(call(op, x, w), InvalidArgumentError, "conv2d_fused: the program takes 2 inputs");
  EXPECT_ERROR(call(op, x, w, random_tensor({float32, {6, 1, 8}})), InvalidArgumentError,
               "conv2d_fused: input 2 must be float32[1,6,6,8], or the same for all pixels. Got "
               "float32[6,1,8].");
  op.pooling = Pooling::kMaxWithPositions;
  op.pool.ksize = 17;
  op.padding = {9, 9, 9, 9};
  EXPECT_ERROR(
      call(op, x, w, random_tensor({float32, {8}})), InvalidArgumentError,
      "conv2d_fused: a position within the window must fit 8 bits. Got a window of 17x17.");
}
