// What the GPU computes, against the CPU.
#include "alula/ops/matmul.h"
#include "alula/ops/table.h"
#include "alula/testing/gpu.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// || a - b || / || b ||
double relative_error(const Tensor& a, const Tensor& b) {
  const Array actual = to_array(a), expected = to_array(b);
  double difference = 0, norm = 0;
  for (int64_t i = 0; i < actual.size(); ++i) {
    difference += std::pow(actual.values[i] - expected.values[i], 2);
    norm += std::pow(expected.values[i], 2);
  }
  return norm == 0 ? std::sqrt(difference) : std::sqrt(difference / norm);
}

class Tf32 {
 public:
  explicit Tf32(bool enabled) : before_(config::tensor_float_32_execution_enabled()) {
    config::enable_tensor_float_32_execution(enabled);
  }
  ~Tf32() { config::enable_tensor_float_32_execution(before_); }

 private:
  bool before_;
};

/// The error of a product on the GPU. The reference is the CPU's, of the same operands in float64.
double matmul_error(DType dtype, Shape a, Shape b, MatMulOptions options = {}) {
  const Tensor x = random_tensor({dtype, a}), y = random_tensor({dtype, b});
  const Tensor expected =
      matmul(to_tensor(to_array(x), float64), to_tensor(to_array(y), float64), options);
  const Tensor on_x = x.to(kGpu), on_y = y.to(kGpu);
  const OnGpu on_gpu;
  const Tensor result = matmul(on_x, on_y, options);
  EXPECT_EQ(on_gpu.count(), 1);
  EXPECT_EQ(result.device(), kGpu);
  EXPECT_EQ(result.dtype(), dtype);
  EXPECT_EQ(to_string(result.shape()), to_string(expected.shape()));
  return relative_error(result, expected);
}

}  // namespace

using Gpu = GpuTest;

/// Every op, every dtype, equal shapes and broadcast ones; ops_test checks the values against plain
/// references.
TEST_F(Gpu, ElementwiseOpsAgreeWithTheCpu) {
  const std::vector<std::vector<Shape>> shapes = {
      {{100'003}, {100'003}, {100'003}}, {{7, 33, 64}, {64}, {7, 1, 64}}, {{5, 1, 7}, {4, 1}, {}}};
  int cases = 0;
  for (const Elementwise* function : elementwise_table())
    for (int i = 0; i < kDTypeCount; ++i) {
      const auto dtype = static_cast<DType>(i);
      if (!function->dtypes().contains(dtype) || dtype == string) continue;
      const scalar::Program& program = function->program(dtype);
      const bool divides = program.can_fail();
      for (const std::vector<Shape>& some : shapes) {
        SCOPED_TRACE(fmt::format("{} of {}", function->name(), dtype));
        ElementwiseOp op(program);
        op.parameters = {0.5, 1.5, 2.5, 3.5};
        std::vector<Tensor> here, there;
        for (size_t k = 0; k < program.inputs().size(); ++k) {
          here.push_back(
              random_tensor({program.inputs()[k], some[k]}, divides ? Range{1, 5} : Range{-3, 3}));
          there.push_back(here.back().to(kGpu));
        }
        const Tensor expected = call_all(op, here)[0];
        const OnGpu on_gpu;
        const Tensor result = call_all(op, there)[0];
        EXPECT_EQ(result.device(), kGpu);
        expect_equal(result, to_array(expected), expected.dtype());
        ++cases;
        if (program.inputs().size() == 1) break;
      }
    }
  EXPECT_GT(cases, 0);
  fmt::print("{} cases\n", cases);
}

TEST_F(Gpu, EmptyTensorsAreNoWork) {
  const Tensor x = random_tensor({float32, {0, 3}}).to(kGpu);
  EXPECT_EQ(find_elementwise("add")->operator()(x, x).size(), 0);
  const Tensor y = random_tensor({float32, {3, 2}}).to(kGpu);
  EXPECT_EQ(to_string(matmul(x, y).shape()), "[0,2]");
  EXPECT_EQ(matmul(x, x, {.transpose_a = true}).to_vector<float>(), std::vector<float>(9));
}

TEST_F(Gpu, MatMulAgreesWithTheCpu) {
  const Tf32 off(false);
  for (const auto& [dtype, most] : std::initializer_list<std::pair<DType, double>>{
           {float32, 1e-5}, {float64, 1e-13}, {float16, 1e-3}, {bfloat16, 8e-3}}) {
    SCOPED_TRACE(name_of(dtype));
    for (int64_t size : {1, 2, 7, 33, 128, 257}) {
      EXPECT_LT(matmul_error(dtype, {size, size + 1}, {size + 1, size + 2}), most) << size;
      EXPECT_LT(matmul_error(dtype, {size + 1, size}, {size + 1, 5}, {.transpose_a = true}), most);
      EXPECT_LT(matmul_error(dtype, {size, 40}, {9, 40}, {.transpose_b = true}), most) << size;
      EXPECT_LT(
          matmul_error(dtype, {40, size}, {17, 40}, {.transpose_a = true, .transpose_b = true}),
          most);
    }
  }
}

TEST_F(Gpu, MatMulTakesBatches) {
  const Tf32 off(false);
  EXPECT_LT(matmul_error(float32, {5, 8, 16}, {5, 16, 24}), 1e-5);
  EXPECT_LT(matmul_error(float32, {5, 8, 16}, {16, 24}), 1e-5);
  EXPECT_LT(matmul_error(float32, {8, 16}, {5, 16, 24}), 1e-5);
  EXPECT_LT(matmul_error(float32, {5, 16, 8}, {16, 24}, {.transpose_a = true}), 1e-5);
  EXPECT_LT(matmul_error(float32, {2, 1, 7, 5}, {3, 5, 9}), 1e-5);
  EXPECT_LT(matmul_error(float32, {2, 1, 4, 7, 5}, {3, 1, 5, 9}), 1e-5);
  EXPECT_LT(matmul_error(bfloat16, {3, 1, 7, 5}, {1, 2, 5, 9}), 8e-3);
}

TEST_F(Gpu, TensorFloat32IsASwitch) {
  {
    const Tf32 on(true);
    const double error = matmul_error(float32, {512, 512}, {512, 512});
    EXPECT_LT(error, 2e-3);
    EXPECT_GT(error, 1e-5) << "TF32 was not used";
  }
  const Tf32 off(false);
  EXPECT_LT(matmul_error(float32, {512, 512}, {512, 512}), 1e-5);
}

TEST_F(Gpu, MultipliesMatricesOfIntegers) {
  const Tensor x = Tensor{{1, 2}, {3, 4}};
  config::set_soft_device_placement(false);
  EXPECT_EQ(matmul(x.to(kGpu), x.to(kGpu)).to_vector<int>(), matmul(x, x).to_vector<int>());
  config::set_soft_device_placement(true);
}
