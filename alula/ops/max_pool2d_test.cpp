#include "alula/ops/max_pool2d.h"

#include "alula/ops/pool2d_test.h"
#include "alula/testing/gradients.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// Few different values, so that there are ties.
Tensor tied_tensor(const Spec& spec) {
  return to_tensor(to_array(random_tensor(spec.with(int32), {-4, 4})), spec.dtype);
}

const Pool2DOptions kOverlapping{.ksize = 3, .strides = 2, .padding = {0, 1, 1, 1}};

constexpr DType kNumbers[] = {float16, bfloat16, float32, float64, int8,   int16,
                              int32,   int64,    uint8,   uint16,  uint32, uint64};

void check_max(const Tensor& input, const Pool2DOptions& options) {
  OpTest::check([&](const std::vector<Tensor>& in) { return max_pool2d(in[0], options); }, {input},
                [&](const std::vector<Array>& in) {
                  Array output(plain_pool2d_shape(in[0].shape, options));
                  const std::vector<int64_t> winners = plain_winners(in[0], options);
                  for (int64_t i = 0; i < output.size(); ++i)
                    output.values[i] = in[0].values[winners[i]];
                  return output;
                },
                {.gradient = is_spread(input)});
}

void check_gradient(const Tensor& input, const Pool2DOptions& options) {
  const Shape shape = plain_pool2d_shape(input.shape(), options);
  const Range range = is_integer(input.dtype()) ? Range{0, 9} : Range{-1, 1};
  OpTest::check(
      [&](const std::vector<Tensor>& in) {
        return max_pool2d_gradient(in[0], in[1], in[2], options);
      },
      {input, max_pool2d(input, options), random_tensor({input.dtype(), shape}, range)},
      [&](const std::vector<Array>& in) {
        Array result(in[0].shape);
        const std::vector<int64_t> winners = plain_winners(in[0], options);
        for (int64_t i = 0; i < in[2].size(); ++i) result.values[winners[i]] += in[2].values[i];
        return result;
      },
      {.scale = 4, .gradient = false});  // a winner that moves alone is no winner
}

void check_pick(const Tensor& input, const Pool2DOptions& options) {
  const Range range = is_integer(input.dtype()) ? Range{0, 9} : Range{-1, 1};
  OpTest::check(
      [&](const std::vector<Tensor>& in) { return max_pool2d_pick(in[0], in[1], in[2], options); },
      {input, max_pool2d(input, options), random_tensor(input.spec(), range)},
      [&](const std::vector<Array>& in) {
        Array result(in[1].shape);
        const std::vector<int64_t> winners = plain_winners(in[0], options);
        for (int64_t i = 0; i < result.size(); ++i) result.values[i] = in[2].values[winners[i]];
        return result;
      },
      {.gradient = false});
}

/// An op that looks up winners, as a function of the input and of its last argument: the output
/// follows the input, so that finite differences can be taken.
using WithWinners = Tensor (*)(const Tensor&, const Tensor&, const Tensor&, const Pool2DOptions&);
Function with_winners(WithWinners f) {
  return [f](const std::vector<Tensor>& in) {
    return f(in[0], max_pool2d(in[0], kOverlapping), in[1], kOverlapping);
  };
}

const float kNaN = std::numeric_limits<float>::quiet_NaN();

}  // namespace

OP_TEST(max_pool2d) {
  for (DType dtype : kNumbers) check_max(random_tensor({dtype, {2, 7, 8, 5}}, {0, 100}), {});
  // Far enough apart for finite differences.
  Array shuffled(Shape{2, 5, 6, 3});
  for (int64_t i = 0; i < shuffled.size(); ++i)
    shuffled.values[i] = static_cast<double>(i * 77 % shuffled.size() + 1) / 10;
  check_max(to_tensor(shuffled, float64), {});
  check_max(to_tensor(shuffled, float64), kOverlapping);
  for_each_pool2d_case([](const Shape& shape, const Pool2DOptions& options) {
    check_max(random_tensor({float32, shape}, {-3, -1}), options);
  });
}

OP_TEST(max_pool2d_gradient) {
  for (DType dtype : kNumbers)
    check_gradient(random_tensor({dtype, {2, 7, 8, 5}}, {0, 100}), {.ksize = 3, .strides = 2});
  for_each_pool2d_case([](const Shape& shape, const Pool2DOptions& options) {
    check_gradient(tied_tensor({float32, shape}), options);
  });
  compare_gradient(with_winners(max_pool2d_gradient), {random_tensor({float64, {2, 5, 6, 3}}),
                                                       random_tensor({float64, {2, 2, 3, 3}})});
}

OP_TEST(max_pool2d_pick) {
  for (DType dtype : kNumbers)
    check_pick(random_tensor({dtype, {2, 7, 8, 5}}, {0, 100}), {.ksize = 3, .strides = 2});
  for_each_pool2d_case([](const Shape& shape, const Pool2DOptions& options) {
    check_pick(tied_tensor({float32, shape}), options);
  });
  compare_gradient(with_winners(max_pool2d_pick), {random_tensor({float64, {2, 5, 6, 3}}),
                                                   random_tensor({float64, {2, 5, 6, 3}})});
  const Tensor x = random_tensor({float32, {1, 4, 4, 1}}),
               y = random_tensor({float32, {1, 2, 2, 1}});
  EXPECT_ERROR(max_pool2d_pick(x, y, y), InvalidArgumentError,
               "max_pool2d_pick: the values must have the input's shape");
  EXPECT_ERROR(max_pool2d_pick(x, x, x), InvalidArgumentError,
               "max_pool2d_pick: the output must be [1,2,2,1]");
  EXPECT_ERROR(max_pool2d_pick(x, y, random_tensor({float64, {1, 4, 4, 1}})), InvalidArgumentError,
               "max_pool2d_pick: the dtypes differ");
  const Tensor no = random_tensor({boolean, {1, 4, 4, 1}});
  EXPECT_ERROR(max_pool2d_pick(no, no, no), InvalidArgumentError, "max_pool2d_pick: takes");
}

/// TensorFlow's convention: the first of equal ones gets all of the gradient.
TEST(MaxPool2D, GivesTheGradientToTheFirstOfEqualOnes) {
  const Tensor x(std::vector<double>{5, 5, 1, 2, 5, 5, 2, 2}, {1, 2, 4, 1});
  const Tensor dy(std::vector<double>{3, 7}, {1, 1, 2, 1});
  expect_equal(
      gradient_of([](const std::vector<Tensor>& in) { return max_pool2d(in[0]); }, {x}, 0, dy),
      {{1, 2, 4, 1}, {3, 0, 0, 7, 0, 0, 0, 0}}, float64);
}

TEST(MaxPool2D, HasSecondGradients) {
  for (const Pool2DOptions& options :
       {Pool2DOptions{}, {.ksize = 3, .strides = 2, .padding = "SAME"}})
    compare_second_gradient(
        [&](const std::vector<Tensor>& in) { return max_pool2d(in[0], options); },
        {random_tensor({float64, {2, 5, 6, 3}})});
}

TEST(MaxPool2D, LetsNaNWin) {
  const Tensor input(std::vector<float>{1, kNaN, 3, 4, 5, 6, kNaN, 8}, {2, 2, 2, 1});
  check_max(input, {});
  check_gradient(input, {});
}

TEST(MaxPool2D, InfersUnknownSizes) {
  const Spec spec{float32, {-1, 28, -1, 3}};
  const Spec* refs[] = {&spec};
  EXPECT_EQ(to_string(MaxPool2D().infer(SpecRefs(refs))[0].shape), "[?,14,?,3]");
}

TEST(MaxPool2D, SaysWhatIsWrong) {
  const auto fails = [](const Shape& shape, const Pool2DOptions& options, const char* text) {
    EXPECT_ERROR(max_pool2d(random_tensor({float32, shape}), options), InvalidArgumentError, text);
  };
  fails({1, 4, 4}, {}, "max_pool2d: the input must be [batch, height, width, channels]. Got");
  fails({1, 1, 1, 1}, {.ksize = 2},
        "max_pool2d: the window 2x2 is larger than the input. Got float32[1,1,1,1]. Use padding = "
        "\"SAME\", or a smaller window.");
  fails({1, 4, 4, 1}, {.ksize = {0, 2}}, "max_pool2d: the window must be at least 1x1. Got 0x2.");
  fails({1, 4, 4, 1}, {.strides = {1, 0}}, "max_pool2d: the strides must be at least 1");
  fails({1, 4, 4, 1}, {.padding = {2, 0, 0, 0}},
        "max_pool2d: the padding must be smaller than the window, 2x2. Got top 2, bottom 0");
  EXPECT_ERROR(max_pool2d(random_tensor({boolean, {1, 4, 4, 1}})), InvalidArgumentError,
               "max_pool2d: takes float16");
  const Tensor x = random_tensor({float32, {1, 4, 4, 1}}),
               y = random_tensor({float32, {1, 2, 2, 1}});
  EXPECT_ERROR(max_pool2d_gradient(x, y, x), InvalidArgumentError,
               "max_pool2d_gradient: the output and its gradient must be [1,2,2,1]");
  EXPECT_ERROR(max_pool2d_gradient(x, y, random_tensor({float64, {1, 2, 2, 1}})),
               InvalidArgumentError, "max_pool2d_gradient: the dtypes differ");
  const Tensor no = random_tensor({boolean, {1, 4, 4, 1}});
  EXPECT_ERROR(max_pool2d_gradient(no, no, no), InvalidArgumentError, "max_pool2d_gradient: takes");
}
