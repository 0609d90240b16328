#include "alula/ops/max_pool2d.h"

#include "alula/ops/pool2d_test.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// Few different values, so that there are ties.
Tensor tied_tensor(const Spec& spec) {
  return to_tensor(to_array(random_tensor(spec.with(int32), {-4, 4})), spec.dtype);
}

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
                });
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
      {.scale = 4});
}

const float kNaN = std::numeric_limits<float>::quiet_NaN();

}  // namespace

OP_TEST(max_pool2d) {
  for (DType dtype : kNumbers) check_max(random_tensor({dtype, {2, 7, 8, 5}}, {0, 100}), {});
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
