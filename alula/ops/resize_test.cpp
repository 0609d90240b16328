#include "alula/ops/resize.h"

#include "alula/ops/data_movement_test.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// The result as the taps say, in double; other tests compare these with TensorFlow's values.
Array resized_by_taps(const Array& images, const ResizeTaps& y, const ResizeTaps& x) {
  const int rank = images.shape.rank();
  Shape shape = images.shape;
  shape[rank - 3] = static_cast<int64_t>(y.first.size());
  shape[rank - 2] = static_cast<int64_t>(x.first.size());
  Array result(shape);
  for_each_index(shape, [&](const Shape& index) {
    const int64_t i = index[rank - 3], j = index[rank - 2];
    for (int64_t a = 0; a < y.count; ++a)
      for (int64_t b = 0; b < x.count; ++b) {
        const Shape source = index.with(rank - 3, y.first[i] + a).with(rank - 2, x.first[j] + b);
        result[index] += images[source] * static_cast<double>(y.weights[i * y.count + a]) *
                         static_cast<double>(x.weights[j * x.count + b]);
      }
  });
  return result;
}

void check_resize(DType dtype, const Shape& shape, Size2 size, const ResizeOptions& options) {
  const int64_t height = shape[shape.rank() - 3], width = shape[shape.rank() - 2];
  const ResizeTaps y = ResizeTaps::of(height, size.height, options);
  const ResizeTaps x = ResizeTaps::of(width, size.width, options);
  const DType result = options.method == ResizeMethod::kNearest ? dtype : float32;
  // Where the result is float32 whatever the input, it is too coarse for finite differences.
  OpTest::check([&](const auto& in) { return resize(in[0], size, options); },
                {varied(dtype, shape)},
                [&](const std::vector<Array>& in) { return resized_by_taps(in[0], y, x); }, result,
                {.relative = 2e-6, .scale = 100, .gradient = result == float64});
}

void check_gradient(DType dtype, const Shape& shape, Size2 size, const ResizeOptions& options) {
  const int64_t height = shape[shape.rank() - 3], width = shape[shape.rank() - 2];
  const ResizeTaps y = ResizeTaps::of(size.height, height, options).transposed(size.height);
  const ResizeTaps x = ResizeTaps::of(size.width, width, options).transposed(size.width);
  const bool nearest = options.method == ResizeMethod::kNearest;
  OpTest::check(
      [&](const auto& in) { return resize_gradient(in[0], size, options); }, {varied(dtype, shape)},
      [&](const std::vector<Array>& in) { return resized_by_taps(in[0], y, x); },
      dtype == float64 ? float64 : float32, {.relative = 2e-6, .scale = 1000, .gradient = nearest});
}

constexpr ResizeMethod kAll[] = {ResizeMethod::kBilinear, ResizeMethod::kNearest,
                                 ResizeMethod::kBicubic,  ResizeMethod::kArea,
                                 ResizeMethod::kLanczos3, ResizeMethod::kLanczos5,
                                 ResizeMethod::kGaussian, ResizeMethod::kMitchellCubic};

}  // namespace

OP_TEST(resize) {
  for (const DType dtype : every_dtype()) {
    if (dtype == string || dtype == boolean) continue;
    check_resize(dtype, {2, 5, 7, 3}, {9, 10}, {});
    check_resize(dtype, {5, 7, 3}, {2, 3}, {});
    check_resize(dtype, {2, 5, 7, 2}, {9, 3}, {.method = "nearest"});
  }
  for (const ResizeMethod method : kAll)
    for (const bool antialias : {false, true})
      for (const int64_t channels : {1, 2, 3, 4, 5, 19}) {
        const ResizeOptions options{.method = method, .antialias = antialias};
        check_resize(float32, {2, 5, 6, channels}, {11, 13}, options);
        check_resize(float32, {2, 13, 9, channels}, {4, 5}, options);
        check_resize(float32, {1, 1, channels}, {3, 2}, options);
        check_resize(float32, {2, 3, channels}, {1, 1}, options);
      }
  check_resize(float32, {3, 120, 90, 3}, {50, 200}, {});
  check_resize(uint8, {3, 120, 90, 3}, {200, 50}, {});
  check_resize(float32, {0, 4, 4, 3}, {2, 2}, {});
  check_resize(float32, {4, 4, 0}, {2, 2}, {});

  const Tensor x = varied(float32, {5, 6, 3});
  EXPECT_ERROR(resize(x, {0, 2}), InvalidArgumentError, "resize: the size must be positive");
  EXPECT_ERROR(resize(Tensor{1.F}, 2), InvalidArgumentError,
               "resize: images are [..., height, width, channels]. Got float32[1].");
  EXPECT_ERROR(resize(varied(float32, {0, 6, 3}), 2), InvalidArgumentError, "without pixels");
  EXPECT_ERROR(resize(varied(boolean, {5, 6, 3}), 2), InvalidArgumentError,
               "resize: takes float16");
  EXPECT_ERROR(resize(x, 2, {.method = "cubic"}), InvalidArgumentError,
               "there is no method 'cubic'. Use bilinear");
  EXPECT_ERROR(resize(varied(float32, {1, 60, 3}), 2, {.preserve_aspect_ratio = true}),
               InvalidArgumentError, "with its proportions kept, 0x2 pixels are left");
  EXPECT_EQ(inferred(Resize({4, 5}), {{uint8, {kUnknown, kUnknown, 3}}}), "[4,5,3]");
  EXPECT_EQ(
      inferred(Resize({4, 5}, {.preserve_aspect_ratio = true}), {{uint8, {kUnknown, kUnknown, 3}}}),
      "[?,?,3]");
  EXPECT_EQ(inferred(Resize({4, 5}, {.preserve_aspect_ratio = true}), {{uint8, {8, 8, 3}}}),
            "[4,4,3]");
}

OP_TEST(resize_gradient) {
  for (const DType dtype : {float16, bfloat16, float32, float64})
    for (const ResizeMethod method : kAll) {
      check_gradient(dtype, {2, 9, 10, 3}, {5, 7}, {.method = method});
      check_gradient(dtype, {2, 3, 2, 3}, {5, 7}, {.method = method});
    }
  check_gradient(float32, {2, 3, 2, 3}, {5, 7}, {.antialias = true});
  const Tensor dy = varied(float32, {5, 6, 3});
  EXPECT_ERROR(resize_gradient(dy, {0, 2}), InvalidArgumentError, "resize_gradient: the size");
  EXPECT_ERROR(resize_gradient(varied(int32, {5, 6, 3}), 2), InvalidArgumentError,
               "resize_gradient: takes float16");
  EXPECT_ERROR(resize_gradient(Tensor{1.F}, 2), InvalidArgumentError, "images are");
}
