#include "alula/ops/max_pool2d_positions.h"

#include "alula/ops/pool2d_test.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// Few different values, so that there are ties.
Tensor tied_tensor(const Spec& spec) {
  return to_tensor(to_array(random_tensor(spec.with(int32), {-4, 4})), spec.dtype);
}

/// For each window, its winner's position within it.
Array plain_positions(const Array& input, const Pool2DOptions& options) {
  Array result(plain_pool2d_shape(input.shape, options));
  const std::vector<int64_t> winners = plain_winners(input, options);
  const Size2 size(input.shape[1], input.shape[2]);
  const PlainAxis y = plain_axis(size.height, options.ksize.height, options.strides.height, 1,
                                 options.padding.kind, options.padding.top, options.padding.bottom);
  const PlainAxis x = plain_axis(size.width, options.ksize.width, options.strides.width, 1,
                                 options.padding.kind, options.padding.left, options.padding.right);
  const int64_t channels = input.shape[3];
  for (int64_t i = 0; i < result.size(); ++i) {
    const int64_t pixel = i / channels, winner = winners[i] / channels;
    const int64_t row = pixel / x.output % y.output, column = pixel % x.output;
    const int64_t at_y = winner / size.width % size.height - row * options.strides.height;
    const int64_t at_x = winner % size.width - column * options.strides.width;
    result.values[i] =
        static_cast<double>((at_y + y.before) * options.ksize.width + at_x + x.before);
  }
  return result;
}

void check_with_positions(const Tensor& input, const Pool2DOptions& options) {
  OpTest::check(
      [&](const std::vector<Tensor>& in) { return max_pool2d_with_positions(in[0], options)[0]; },
      {input},
      [&](const std::vector<Array>& in) {
        Array output(plain_pool2d_shape(in[0].shape, options));
        const std::vector<int64_t> winners = plain_winners(in[0], options);
        for (int64_t i = 0; i < output.size(); ++i) output.values[i] = in[0].values[winners[i]];
        return output;
      },
      {.gradient = false});
  OpTest::check(
      [&](const std::vector<Tensor>& in) { return max_pool2d_with_positions(in[0], options)[1]; },
      {input}, [&](const std::vector<Array>& in) { return plain_positions(in[0], options); }, uint8,
      {.gradient = false});
}

void check_scatter(const Tensor& input, const Pool2DOptions& options) {
  const Tensor positions = max_pool2d_with_positions(input, options)[1];
  OpTest::check(
      [&](const std::vector<Tensor>& in) {
        return max_pool2d_scatter(in[0], in[1], input.shape(), options);
      },
      {random_tensor({input.dtype(), positions.shape()}), positions},
      [&](const std::vector<Array>& in) {
        Array result(input.shape());
        const std::vector<int64_t> winners = plain_winners(to_array(input), options);
        for (int64_t i = 0; i < in[0].size(); ++i) result.values[winners[i]] += in[0].values[i];
        return result;
      },
      {.scale = 4, .gradient = false});
}

void check_gather(const Tensor& input, const Pool2DOptions& options) {
  const Tensor positions = max_pool2d_with_positions(input, options)[1];
  OpTest::check(
      [&](const std::vector<Tensor>& in) { return max_pool2d_gather(in[0], in[1], options); },
      {random_tensor(input.spec()), positions},
      [&](const std::vector<Array>& in) {
        Array result(in[1].shape);
        const std::vector<int64_t> winners = plain_winners(to_array(input), options);
        for (int64_t i = 0; i < result.size(); ++i) result.values[i] = in[0].values[winners[i]];
        return result;
      },
      {.gradient = false});
}

}  // namespace

OP_TEST(max_pool2d_gather) {
  for (DType dtype : {float32, float64})
    check_gather(random_tensor({dtype, {2, 7, 8, 19}}), {.ksize = 3, .strides = 2});
  for_each_pool2d_case([](const Shape& shape, const Pool2DOptions& options) {
    check_gather(tied_tensor({float32, shape}), options);
  });
}

OP_TEST(max_pool2d_with_positions) {
  for (DType dtype : {float32, float64})
    check_with_positions(random_tensor({dtype, {2, 7, 8, 19}}), {.ksize = 3, .strides = 2});
  for_each_pool2d_case([](const Shape& shape, const Pool2DOptions& options) {
    check_with_positions(tied_tensor({float32, shape}), options);
  });
}

OP_TEST(max_pool2d_scatter) {
  for (DType dtype : {float32, float64})
    check_scatter(random_tensor({dtype, {2, 7, 8, 19}}), {.ksize = 3, .strides = 2});
  for_each_pool2d_case([](const Shape& shape, const Pool2DOptions& options) {
    check_scatter(tied_tensor({float32, shape}), options);
  });
}

TEST(MaxPool2DWithPositions, LetsTheFirstNaNWin) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor input(std::vector<float>{1, nan, nan, 4, 5, 6, 7, 6}, {2, 2, 2, 1});
  check_with_positions(input, {});
}

TEST(MaxPool2DWithPositions, SaysWhatIsWrong) {
  const Tensor x = random_tensor({float32, {1, 20, 20, 1}});
  EXPECT_ERROR(max_pool2d_with_positions(x, {.ksize = 17}), InvalidArgumentError,
               "max_pool2d_with_positions: a position within the window must fit 8 bits. Got a "
               "window of 17x17.");
  EXPECT_ERROR(max_pool2d_with_positions(random_tensor({int32, {1, 4, 4, 1}})),
               InvalidArgumentError, "max_pool2d_with_positions: takes float32, float64");
  EXPECT_ERROR(max_pool2d_scatter(x, x, x.shape()), InvalidArgumentError,
               "max_pool2d_scatter: the values must be float32[1,10,10,1] and the positions "
               "uint8[1,10,10,1]");
  EXPECT_ERROR(max_pool2d_gather(x, x), InvalidArgumentError,
               "max_pool2d_gather: the positions must be uint8[1,10,10,1]");
  EXPECT_ERROR(max_pool2d_gather(random_tensor({int32, {1, 4, 4, 1}}), x), InvalidArgumentError,
               "max_pool2d_gather: takes float32, float64");
  EXPECT_ERROR(max_pool2d_scatter(random_tensor({int32, {1, 4, 4, 1}}), x, x.shape()),
               InvalidArgumentError, "max_pool2d_scatter: takes float32, float64");
}
