#include "alula/ops/norm.h"

#include <cmath>

#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

void expect_values(const Tensor& actual, const Shape& shape, std::vector<double> values,
                   DType dtype = float32) {
  Array expected(shape);
  expected.values = std::move(values);
  expect_equal(actual, expected, dtype);
}

}  // namespace

TEST(Norm, OfVectorsAndMatrices) {
  const Tensor x = {{3.f, -4.f}, {0.f, 12.f}};
  expect_values(linalg::norm(x), {}, {13});
  expect_values(linalg::norm(x, {.axis = 1}), {2}, {5, 12});
  expect_values(linalg::norm(x, {.ord = 1, .axis = 1, .keepdims = true}), {2, 1}, {7, 12});
  expect_values(linalg::norm(x, {.ord = INFINITY}), {}, {12});
  expect_values(linalg::norm(x, {.ord = 3, .axis = 0}), {2}, {3, std::cbrt(64. + 1728)});
  expect_values(linalg::norm(x, {.ord = "fro", .axis = {0, 1}}), {}, {13});
  expect_values(linalg::norm(x, {.ord = 1, .axis = {0, 1}}), {}, {16});
  expect_values(linalg::norm(x, {.ord = INFINITY, .axis = {-2, -1}, .keepdims = true}), {1, 1},
                {12});
  EXPECT_ERROR(linalg::norm(x, {.ord = 3, .axis = {0, 1}}), InvalidArgumentError, "of matrices");
  EXPECT_ERROR(linalg::norm(x, {.ord = "nuclear"}), InvalidArgumentError, "ord is");
  EXPECT_ERROR(linalg::norm(Tensor{1}), InvalidArgumentError, "takes floating types");
}

TEST(Norm, EuclideanOfIntegers) {
  expect_values(reduce_euclidean_norm(Tensor{{3, 4}, {6, 8}}, {.axis = 1}), {2}, {5, 10}, int32);
  expect_values(reduce_euclidean_norm(Tensor{3.f, 4.f}), {}, {5});
}

TEST(Norm, ClipsToALength) {
  expect_values(clip_by_norm(Tensor{3.f, 4.f}, Tensor(1.f)), {2}, {0.6, 0.8});
  expect_values(clip_by_norm(Tensor{3.f, 4.f}, Tensor(6.f)), {2}, {3, 4});
  expect_values(clip_by_norm(Tensor{{3.f, 4.f}, {0.f, 1.f}}, Tensor(2.f), {.axes = 1}), {2, 2},
                {1.2, 1.6, 0, 1});
  OpTest::compare_gradient(
      [](const std::vector<Tensor>& in) { return clip_by_norm(in[0], Tensor(1.0)); },
      {Tensor(std::vector<double>{3, 4})});
}

TEST(Norm, ClipsManyTogether) {
  const auto clipped = clip_by_global_norm({Tensor{3.f}, Tensor{4.f}}, Tensor(2.5f));
  expect_values(clipped.tensors[0], {1}, {1.5});
  expect_values(clipped.tensors[1], {1}, {2});
  expect_values(clipped.global_norm, {}, {5});
  const auto infinite = clip_by_global_norm({Tensor{INFINITY}}, Tensor(2.5f));
  EXPECT_TRUE(std::isnan(infinite.tensors[0].to_vector<float>()[0]));
  EXPECT_ERROR(linalg::global_norm({}), InvalidArgumentError, "at least one tensor");
}
