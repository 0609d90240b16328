// Decompositions on the GPU, of matrices that are larger than those of ops_test, or special.
#include "alula/ops/all.h"
#include "alula/testing/gpu.h"

using namespace alula;
using namespace alula::testing;

namespace {

class GpuMatrices : public GpuTest {};

Tensor transposed(const Tensor& x) { return linalg::matrix_transpose(x); }

/// Near one another, as far as products of matrices are of that dtype.
void expect_near(const Tensor& got, const Tensor& expected, double scale = 100) {
  expect_equal(got.cpu(), to_array(expected.cpu()), expected.dtype(), {.scale = scale});
}

/// Whether the columns are of length 1 and at right angles.
void expect_orthogonal(const Tensor& x) {
  const Tensor host = x.cpu();
  const Tensor ones = eye(host.shape().back(), {.dtype = x.dtype()});
  expect_near(matmul(transposed(host), host),
              broadcast_to(ones, matmul(transposed(host), host).shape()));
}

/// u diag(s) v', of as many columns as there are singular values.
Tensor product_of(const linalg::SvdResult& svd) {
  const Tensor s = svd.s.cpu(), u = svd.u.cpu(), v = svd.v.cpu();
  const int64_t k = s.shape().back();
  const auto first = [&](const Tensor& x) { return gather(x, range(k), {.axis = -1}); };
  return matmul(first(u) * expand_dims(s, -2), transposed(first(v)));
}

void check_svd(const Tensor& x, bool full) {
  SCOPED_TRACE(fmt::format("{}, full: {}", x.spec(), full));
  const linalg::SvdResult svd = [&] {
    const OnGpu on_gpu;
    return linalg::svd(x.to(kGpu), {.full_matrices = full});
  }();
  const DeviceScope cpu(kCPU);
  expect_orthogonal(svd.u);
  expect_orthogonal(svd.v);
  expect_near(product_of(svd), x);
  expect_near(svd.s, linalg::singular_values(x));
}

}  // namespace

TEST_F(GpuMatrices, SingularValuesOfAnyShapeAndRank) {
  for (const DType dtype : {float32, float64})
    for (const bool full : {false, true}) {
      for (const Shape& shape :
           {Shape{37, 37}, Shape{2, 41, 20}, Shape{3, 9, 33}, Shape{1, 12}, Shape{12, 1}})
        check_svd(random_tensor({dtype, shape}), full);
      // Of rank 3 and 0, and with equal columns.
      check_svd(matmul(random_tensor({dtype, {20, 3}}), random_tensor({dtype, {3, 14}})), full);
      check_svd(zeros({6, 4}, dtype), full);
      check_svd(ones({7, 5}, dtype), full);
    }
}

TEST_F(GpuMatrices, EigenvectorsOfLargerMatrices) {
  for (const DType dtype : {float32, float64})
    for (const Shape& shape : {Shape{33, 33}, Shape{2, 40, 40}, Shape{1, 1}, Shape{2, 2}}) {
      const Tensor any = random_tensor({dtype, shape}), x = any + transposed(any);
      const linalg::EighResult there = linalg::eigh(x.to(kGpu));
      EXPECT_EQ(there.v.device(), kGpu);
      expect_orthogonal(there.v);
      expect_near(there.e, linalg::eigh(x).e);
      const Tensor v = there.v.cpu();
      expect_near(matmul(v * expand_dims(there.e.cpu(), -2), transposed(v)), x);
    }
}

TEST_F(GpuMatrices, OthersOfLargerMatrices) {
  for (const DType dtype : {float32, float64})
    for (const int64_t n : {1, 31, 50}) {
      SCOPED_TRACE(fmt::format("{} {}", dtype, n));
      const Tensor any = random_tensor({dtype, {2, n, n}});
      const Tensor far = any + eye(n, {.dtype = dtype}) * static_cast<double>(n);
      const Tensor positive = matmul(any, any, {.transpose_b = true}) + eye(n, {.dtype = dtype});
      const Tensor right = random_tensor({dtype, {2, n, 3}});
      const Tensor on_far = far.to(kGpu), on_right = right.to(kGpu);
      expect_near(linalg::cholesky(positive.to(kGpu)), linalg::cholesky(positive), 1000);
      for (const bool adjoint : {false, true}) {
        expect_near(linalg::solve(on_far, on_right, {.adjoint = adjoint}),
                    linalg::solve(far, right, {.adjoint = adjoint}));
        expect_near(linalg::inv(on_far, {.adjoint = adjoint}),
                    linalg::inv(far, {.adjoint = adjoint}));
        for (const bool lower : {false, true})
          expect_near(
              linalg::triangular_solve(on_far, on_right, {.lower = lower, .adjoint = adjoint}),
              linalg::triangular_solve(far, right, {.lower = lower, .adjoint = adjoint}));
      }
      expect_near(linalg::slogdet(on_far).log_abs_determinant,
                  linalg::slogdet(far).log_abs_determinant);
      const linalg::LuResult lu = linalg::lu(any.to(kGpu));
      EXPECT_EQ(lu.p.to_vector<int32_t>(), linalg::lu(any).p.to_vector<int32_t>());
      expect_near(linalg::lu_reconstruct(lu.lu.cpu(), lu.p.cpu()), any, 1000);
      const linalg::QrResult qr = linalg::qr(any.to(kGpu), {.full_matrices = true});
      expect_orthogonal(qr.q);
      expect_near(matmul(qr.q.cpu(), qr.r.cpu()), any);
      const Tensor small = any * (2.0 / static_cast<double>(n));
      expect_near(linalg::expm(small.to(kGpu)), linalg::expm(small));
    }
}

/// One block would take longer than the CPU does.
TEST_F(GpuMatrices, LargeOnesAreLeftToTheCpu) {
  const Tensor any = random_tensor({float32, {300, 300}}) + eye(300) * 300.0;
  const Tensor there = linalg::inv(any.to(kGpu));
  EXPECT_EQ(there.device(), kGpu);
  expect_near(there, linalg::inv(any));
  const Spec small{float32, {256, 256}}, large = any.spec(), many{float32, {64, 300, 300}};
  const auto supports = [&](const Op& op, const Spec& spec) {
    const Spec* specs[] = {&spec};
    return gpu().supports(op, SpecRefs(specs));
  };
  EXPECT_TRUE(supports(Inv(), small));
  EXPECT_FALSE(supports(Inv(), large));
  EXPECT_TRUE(supports(Inv(), many));
  EXPECT_FALSE(supports(Svd(), small));
}

/// They are no errors there.
TEST_F(GpuMatrices, WithoutADecomposition) {
  const Tensor singular = Tensor(std::vector<float>{1, 2, 2, 4}, {2, 2}).to(kGpu);
  EXPECT_EQ(linalg::det(singular).item<float>(), 0);
  EXPECT_EQ(linalg::slogdet(singular).sign.item<float>(), 0);
  for (const float value : linalg::inv(singular).to_vector<float>())
    EXPECT_FALSE(std::isfinite(value));
  const Tensor negative = Tensor(std::vector<float>{-1, 0, 0, 1}, {2, 2}).to(kGpu);
  EXPECT_TRUE(std::isnan(linalg::cholesky(negative).to_vector<float>()[0]));
}
