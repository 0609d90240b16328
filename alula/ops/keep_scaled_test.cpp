#include "alula/ops/keep_scaled.h"

#include <limits>

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

Array plain(const std::vector<Array>& in, double scale) {
  const Array keep = broadcast_to(in[0], in[1].shape);
  Array result(in[1].shape);
  for (int64_t i = 0; i < result.size(); ++i)
    result.values[i] = keep.values[i] != 0 ? in[1].values[i] * scale : 0;
  return result;
}

}  // namespace

OP_TEST(keep_scaled) {
  for (DType dtype : {float16, bfloat16, float32, float64})
    for (const Shape& shape : {Shape{}, {0}, {1}, {17}, {3, 50}, {2, 3, 1000}})
      for (double scale : {2.0, 1.25, 0.0})
        OpTest::check([&](const auto& in) { return keep_scaled(in[0], in[1], scale); },
                      {random_tensor({boolean, shape}), random_tensor({dtype, shape})},
                      [&](const auto& in) { return plain(in, scale); }, dtype);
  // Elements that share their fate.
  OpTest::check([](const auto& in) { return keep_scaled(in[0], in[1], 4); },
                {random_tensor({boolean, {5, 1}}), random_tensor({float64, {5, 7}})},
                [](const auto& in) { return plain(in, 4); }, float64);
  // What is dropped does not matter.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  expect_equal(keep_scaled({true, false}, {3.f, nan}, 2), {{2}, {6, 0}}, float32);
  EXPECT_ERROR(keep_scaled({1.f}, {1.f}, 2), InvalidArgumentError, "input 0 must be bool");
  EXPECT_ERROR(keep_scaled({true}, {1}, 2), InvalidArgumentError, "keep_scaled: takes");
  EXPECT_ERROR(keep_scaled({true}, Tensor(), 2), InvalidArgumentError, "is not defined yet");
}
