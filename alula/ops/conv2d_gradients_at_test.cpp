#include "alula/ops/conv2d_gradients_at.h"

#include "alula/ops/pool2d_test.h"
#include "alula/runtime/devices.h"
#include "alula/scalar/compose.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

struct Case {
  Spec input;
  Shape filter;
  Conv2DOptions options{};
  Pool2DOptions pool{};
};

/// Winners, as pooling a random convolution's result would find them.
struct Pooled {
  explicit Pooled(const Case& c)
      : result(random_tensor(c.input.with(plain_conv2d_shape(c.input.shape, c.filter, c.options)))),
        positions(max_pool2d_with_positions(result, c.pool)[1]),
        values(random_tensor(c.input.with(positions.shape()), {-1, 1})) {}

  Array scattered(const Array& from, const Pool2DOptions& pool) const {
    Array whole(result.shape());
    const std::vector<int64_t> winners = plain_winners(to_array(result), pool);
    for (int64_t i = 0; i < from.size(); ++i) whole.values[winners[i]] += from.values[i];
    return whole;
  }

  Tensor result, positions, values;
};

void check_filter(const Case& c) {
  const Pooled pooled(c);
  const Conv2DFilterGradientAt op(c.filter, c.options, c.pool);
  OpTest::check([&](const std::vector<Tensor>& in) { return call(op, in[0], in[1], in[2]); },
                {random_tensor(c.input, {-1, 1}), pooled.values, pooled.positions},
                [&](const std::vector<Array>& in) {
                  return plain_conv2d_backprop_filter(in[0], c.filter,
                                                      pooled.scattered(in[1], c.pool), c.options);
                },
                {.scale = std::sqrt(static_cast<double>(pooled.values.size())), .gradient = false});
}

void check_input(const Case& c) {
  const Pooled pooled(c);
  const Conv2DInputGradientAt op(c.input.shape, c.options, c.pool);
  OpTest::check(
      [&](const std::vector<Tensor>& in) { return call(op, in[0], in[1], in[2]); },
      {random_tensor(c.input.with(c.filter), {-1, 1}), pooled.values, pooled.positions},
      [&](const std::vector<Array>& in) {
        return plain_conv2d_backprop_input(c.input.shape, in[0], pooled.scattered(in[1], c.pool),
                                           c.options);
      },
      {.scale = static_cast<double>(c.filter[0] * c.filter[1] * c.filter[3]), .gradient = false});
}

template <class F>
void for_each_case(const F& check) {
  for (const Size2 strides : {Size2(1), Size2(2), Size2(1, 2)})
    for (const Padding& padding : {Padding("VALID"), Padding("SAME"), Padding(0, 2, 3, 1)})
      for (const int64_t groups : {1, 2, 4})
        for (const Pool2DOptions& pool : {Pool2DOptions{},
                                          {.ksize = 3, .strides = 2},
                                          {.ksize = 3, .strides = 1, .padding = "SAME"},
                                          {.ksize = {1, 2}, .strides = {2, 3}}})
          check(Case{{float32, {2, 11, 12, 4}},
                     {3, 3, 4 / groups, 8},
                     {.strides = strides, .padding = padding},
                     pool});
  for (const int64_t in : {1, 3, 7, 16, 32, 33})
    for (const int64_t out : {1, 16, 17, 33, 48})
      check(Case{{float32, {2, 8, 9, in}}, {3, 3, in, out}, {.padding = "SAME"}});
  for (const Size2 size : {Size2(1), Size2(5), Size2(2, 4)})
    for (const Size2 dilations : {Size2(1), Size2(1, 2)})
      for (const int64_t in : {1, 3, 32})
        check(Case{{float32, {2, 14, 13, in}},
                   {size.height, size.width, in, 40},
                   {.dilations = dilations}});
}

}  // namespace

OP_TEST(conv2d_filter_gradient_at) {
  for (DType dtype : {float32, float64})
    for (const int64_t in : {1, 3, 16}) check_filter({{dtype, {2, 10, 11, in}}, {3, 3, in, 32}});
  for_each_case(check_filter);
}

OP_TEST(conv2d_input_gradient_at) {
  for (DType dtype : {float32, float64})
    for (const int64_t in : {1, 3, 16}) check_input({{dtype, {2, 10, 11, in}}, {3, 3, in, 32}});
  for_each_case(check_input);
}

/// The values' program: 0 where another tensor is not positive, times a number a channel.
const scalar::Program* masked(DType dtype) {
  scalar::Builder builder;
  const Scalar value = builder.input(dtype), mask = builder.input(dtype),
               factor = builder.input(dtype);
  const Scalar results[] = {select(mask > 0, value, 0) * factor};
  return &scalar::interned(builder.finish("masked", results));
}

TEST(Conv2DGradientsAt, MakeTheValuesAndSumThem) {
  const Case cases[] = {{{float32, {3, 11, 10, 1}}, {3, 3, 1, 32}},
                        {{float64, {3, 11, 10, 3}}, {3, 3, 3, 5}},
                        {{float32, {40, 28, 28, 3}}, {3, 3, 3, 20}},
                        {{float32, {9, 12, 12, 16}}, {3, 3, 16, 24}},
                        {{float32, {3, 12, 12, 4}}, {3, 3, 2, 24}}};  // 2 groups
  for (const Case& c : cases) {
    const Pooled pooled(c);
    const Tensor input = random_tensor(c.input, {-1, 1}),
                 mask = random_tensor(pooled.values.spec(), {-1, 1}),
                 factor = random_tensor(c.input.with(Shape{c.filter[3]}), {-1, 1});
    Conv2DFilterGradientAt op(c.filter, c.options, c.pool);
    op.bias = true;
    op.prologue = masked(c.input.dtype);
    const Tensors results =
        call_all(op, std::vector{input, pooled.values, pooled.positions, mask, factor});
    Array values = to_array(pooled.values);
    const Array masks = to_array(mask), factors = to_array(factor);
    Array sums(Shape{c.filter[3]});
    for (int64_t i = 0; i < values.size(); ++i) {
      values.values[i] *= masks.values[i] > 0 ? factors.values[i % c.filter[3]] : 0;
      sums.values[i % c.filter[3]] += values.values[i];
    }
    const double scale = std::sqrt(static_cast<double>(values.size()));
    expect_equal(results[0],
                 plain_conv2d_backprop_filter(to_array(input), c.filter,
                                              pooled.scattered(values, c.pool), c.options),
                 c.input.dtype, {.scale = scale});
    expect_equal(results[1], sums, c.input.dtype, {.scale = scale});
  }
}

/// The gradient of relu, with its inputs in either order: what is not a program of its own.
TEST(Conv2DGradientsAt, TakeAMask) {
  for (const DType dtype : {float32, float64})
    for (const bool mask_first : {true, false}) {
      const Case c{{dtype, {3, 11, 10, 3}}, {3, 3, 3, 32}};
      const Pooled pooled(c);
      const Tensor input = random_tensor(c.input, {-1, 1}),
                   mask = random_tensor(pooled.values.spec(), {-1, 1});
      scalar::Builder builder;
      const Scalar first = builder.input(dtype), second = builder.input(dtype);
      const Scalar results[] = {mask_first ? select(first > 0, second, 0)
                                           : select(second > 0, first, 0)};
      Conv2DFilterGradientAt op(c.filter, c.options, c.pool);
      op.bias = true;
      op.prologue = &scalar::interned(builder.finish("mask", results));
      const Tensors got =
          call_all(op, std::vector{input, mask_first ? mask : pooled.values, pooled.positions,
                                   mask_first ? pooled.values : mask});
      Array values = to_array(pooled.values);
      const Array masks = to_array(mask);
      for (int64_t i = 0; i < values.size(); ++i)
        if (masks.values[i] <= 0) values.values[i] = 0;
      op.prologue = nullptr;
      const Tensors expected =
          call_all(op, std::vector{input, to_tensor(values, dtype), pooled.positions});
      for (size_t i = 0; i < 2; ++i) expect_equal(got[i], to_array(expected[i]), dtype);
    }
}

TEST(Conv2DGradientsAt, AreSharedByThreads) {
  for (const auto& check : {check_filter, check_input}) {
    check({{float32, {40, 28, 28, 1}}, {3, 3, 1, 32}});
    check({{float32, {5, 64, 64, 3}}, {3, 3, 3, 32}});
    check({{float32, {9, 13, 13, 32}}, {3, 3, 32, 64}});
    check({{float32, {3, 30, 30, 16}}, {5, 5, 16, 70}, {.padding = "SAME"}, {.ksize = 3}});
  }
}

TEST(Conv2DGradientsAt, AreTheSameWithAnyNumberOfThreads) {
  for (const int64_t channels : {1, 32}) {
    const Case c{{float32, {20, 20, 20, channels}}, {3, 3, channels, 32}};
    const Pooled pooled(c);
    const Tensor input = random_tensor(c.input);
    std::vector<std::vector<float>> results;
    for (const int threads : {1, 2, 3, 0}) {
      config::set_intra_op_parallelism_threads(threads);
      results.push_back(
          call(Conv2DFilterGradientAt(c.filter), input, pooled.values, pooled.positions)
              .to_vector<float>());
    }
    for (const std::vector<float>& result : results) EXPECT_EQ(result, results[0]);
  }
}

TEST(Conv2DGradientsAt, TakeEmptyInputs) {
  for (const auto& check : {check_filter, check_input}) {
    check({{float32, {0, 5, 5, 3}}, {3, 3, 3, 4}});  // zeros
    check({{float32, {2, 5, 5, 3}}, {3, 3, 3, 0}});
  }
}

TEST(Conv2DGradientsAt, SayWhatIsWrong) {
  const Tensor x = random_tensor({float32, {1, 8, 8, 3}}),
               w = random_tensor({float32, {3, 3, 3, 8}}),
               values = random_tensor({float32, {1, 3, 3, 8}});
  EXPECT_ERROR(call(Conv2DFilterGradientAt(w.shape()), x, values, values), InvalidArgumentError,
               "conv2d_filter_gradient_at: the values must be float32[1,3,3,8] and the positions "
               "uint8[1,3,3,8]");
  EXPECT_ERROR(call(Conv2DInputGradientAt(x.shape()), w, values, values), InvalidArgumentError,
               "conv2d_input_gradient_at: the values must be float32[1,3,3,8] and the positions");
  Conv2DFilterGradientAt op(w.shape());
  op.prologue = masked(float32);
  const Tensor positions = random_tensor({uint8, {1, 3, 3, 8}}, {0, 4});
  EXPECT_ERROR(call(op, x, values, positions), InvalidArgumentError,
               "conv2d_filter_gradient_at: the program takes 3 inputs");
  EXPECT_ERROR(call(op, x, values, positions, values, x), InvalidArgumentError,
               "conv2d_filter_gradient_at: input 4 must be float32[1,3,3,8], or the same for all "
               "pixels. Got float32[1,8,8,3].");
  const Tensor integers = random_tensor({int32, {1, 8, 8, 3}});
  EXPECT_ERROR(call(Conv2DFilterGradientAt(w.shape()), integers, values, values),
               InvalidArgumentError, "conv2d_filter_gradient_at: takes float32, float64");
  EXPECT_ERROR(call(Conv2DInputGradientAt(x.shape()), integers, values, values),
               InvalidArgumentError, "conv2d_input_gradient_at: takes float32, float64");
}
