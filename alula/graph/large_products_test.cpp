// Large products, which are cuBLASLt's, and what is done with them on the way.
#include "alula/graph/function.h"
#include "alula/ops/all.h"
#include "alula/testing/gpu.h"

using namespace alula;
using namespace alula::testing;

namespace {

using Multiplies = std::function<Tensor(const Tensor&, const Tensor&, const Tensor&)>;

const std::pair<DType, double> kErrors[] = {
    {float32, 1e-5}, {float64, 1e-13}, {float16, 2e-3}, {bfloat16, 1e-2}};

/// || got - expected || / || expected ||
double relative_error(const Tensor& got, const Tensor& expected) {
  const Array a = to_array(got), b = to_array(expected);
  double difference = 0, norm = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    difference += std::pow(a.values[i] - b.values[i], 2);
    norm += std::pow(b.values[i], 2);
  }
  return std::sqrt(difference / norm);
}

Tensor in_float64(const Tensor& tensor) { return to_tensor(to_array(tensor), float64); }

class GpuMatMul : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    config::enable_tensor_float_32_execution(false);
  }
  void TearDown() override { config::enable_tensor_float_32_execution(true); }

  /// The error of a compiled function of x, w and a row, beside the CPU's in float64.
  static double error_of(const Multiplies& f, DType dtype, const Shape& x_shape,
                         const Shape& w_shape, int64_t columns) {
    const Tensor x = random_tensor({dtype, x_shape}), w = random_tensor({dtype, w_shape}),
                 row = random_tensor({dtype, {columns}});
    const Tensor result = function(f)(x.to(kGpu), w.to(kGpu), row.to(kGpu));
    EXPECT_EQ(result.device(), kGpu);
    return relative_error(result, f(in_float64(x), in_float64(w), in_float64(row)));
  }
};

}  // namespace

/// Rows that begin anywhere may be copied to where tensor cores can load them.
TEST_F(GpuMatMul, RowsOfOddLengths) {
  const Multiplies plain = [](const Tensor& x, const Tensor& w, const Tensor&) {
    return matmul(x, w);
  };
  const Multiplies first = [](const Tensor& x, const Tensor& w, const Tensor&) {
    return matmul(x, w, {.transpose_a = true});
  };
  const Multiplies second = [](const Tensor& x, const Tensor& w, const Tensor&) {
    return matmul(x, w, {.transpose_b = true});
  };
  for (const auto& [dtype, most] : kErrors) {
    SCOPED_TRACE(name_of(dtype));
    EXPECT_LT(error_of(plain, dtype, {1021, 803}, {803, 901}, 901), most);
    EXPECT_LT(error_of(first, dtype, {803, 1021}, {803, 904}, 904), most);
    EXPECT_LT(error_of(second, dtype, {1024, 803}, {901, 803}, 901), most);
  }
}

TEST_F(GpuMatMul, WhatFollowsAProduct) {
  using T = const Tensor&;
  const std::pair<const char*, Multiplies> cases[] = {
      {"bias", [](T x, T w, T row) { return matmul(x, w) + row; }},
      {"bias and relu", [](T x, T w, T row) { return relu(row + matmul(x, w)); }},
      {"relu", [](T x, T w, T) { return relu(matmul(x, w)); }},
      {"tanh", [](T x, T w, T row) { return alula::tanh(matmul(x, w) + row); }},
      {"two rows", [](T x, T w, T row) { return matmul(x, w) + row * 2 + row; }}};
  for (const auto& [dtype, most] : kErrors)
    for (const auto& [name, f] : cases)
      for (const Shape& shape : {Shape{300, 400}, Shape{257, 301}, Shape{1021, 1021}}) {
        SCOPED_TRACE(fmt::format("{} {} {}", name, name_of(dtype), shape));
        EXPECT_LT(error_of(f, dtype, shape, {shape[1], 402}, 402), most);
      }
}

TEST_F(GpuMatMul, NanIsNotCutOff) {
  const Tensor x = fill({300, 400}, NAN).to(kGpu), w = ones({400, 402}).to(kGpu);
  const auto f = function([](const Tensor& x, const Tensor& w) { return relu(matmul(x, w)); });
  for (const float value : f(x, w).to_vector<float>()) ASSERT_TRUE(std::isnan(value));
}
