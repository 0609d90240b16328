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
  const auto [svd, values] = [&] {
    const OnGpu on_gpu;
    return std::pair(linalg::svd(x.to(kGpu), {.full_matrices = full}),
                     linalg::singular_values(x.to(kGpu)));
  }();
  const DeviceScope cpu(kCPU);
  expect_orthogonal(svd.u);
  expect_orthogonal(svd.v);
  expect_near(product_of(svd), x);
  expect_near(svd.s, linalg::singular_values(x));
  expect_near(values, svd.s);
}

void check_eigh(const Tensor& x) {
  SCOPED_TRACE(fmt::format("{}", x.spec()));
  const auto [there, values] = [&] {
    const OnGpu on_gpu;
    return std::pair(linalg::eigh(x.to(kGpu)), linalg::eigvalsh(x.to(kGpu)));
  }();
  expect_orthogonal(there.v);
  expect_near(there.e, linalg::eigh(x).e);
  expect_near(values, there.e);
  const Tensor v = there.v.cpu();
  expect_near(matmul(v * expand_dims(there.e.cpu(), -2), transposed(v)), x);
}

void check_qr(const Tensor& x) {
  SCOPED_TRACE(fmt::format("{}", x.spec()));
  for (const bool full : {false, true}) {
    const linalg::QrResult qr = [&] {
      const OnGpu on_gpu;
      return linalg::qr(x.to(kGpu), {.full_matrices = full});
    }();
    expect_orthogonal(qr.q);
    expect_near(matmul(qr.q.cpu(), qr.r.cpu()), x);
  }
}

/// Cholesky, LU, and what is made of them, of two matrices.
void check_triangles(DType dtype, int64_t n) {
  SCOPED_TRACE(fmt::format("{} {}", dtype, n));
  const Tensor any = random_tensor({dtype, {2, n, n}});
  const Tensor far = any + eye(n, {.dtype = dtype}) * static_cast<double>(n);
  const Tensor positive = matmul(any, any, {.transpose_b = true}) + eye(n, {.dtype = dtype});
  const Tensor right = random_tensor({dtype, {2, n, 3}});
  const auto compare = [](const auto& f, const Tensor& x, double scale = 100) {
    const Tensor there = [&] {
      const OnGpu on_gpu;
      return f(x.to(kGpu));
    }();
    expect_near(there, f(x), scale);
  };
  const auto right_beside = [&](const Tensor& x) { return right.to(x.device()); };
  compare([](const Tensor& x) { return linalg::cholesky(x); }, positive, 1000);
  compare([](const Tensor& x) { return linalg::slogdet(x).log_abs_determinant; }, far);
  compare([](const Tensor& x) { return linalg::det(x); }, far / static_cast<double>(n));
  for (const bool adjoint : {false, true}) {
    compare([&](const Tensor& x) { return linalg::inv(x, {.adjoint = adjoint}); }, far);
    compare(
        [&](const Tensor& x) { return linalg::solve(x, right_beside(x), {.adjoint = adjoint}); },
        far);
    for (const bool lower : {false, true})
      compare(
          [&](const Tensor& x) {
            return linalg::triangular_solve(x, right_beside(x),
                                            {.lower = lower, .adjoint = adjoint});
          },
          far);
  }
  const linalg::LuResult lu = [&] {
    const OnGpu on_gpu;
    return linalg::lu(any.to(kGpu));
  }();
  EXPECT_EQ(lu.p.to_vector<int32_t>(), linalg::lu(any).p.to_vector<int32_t>());
  expect_near(linalg::lu_reconstruct(lu.lu.cpu(), lu.p.cpu()), any, 1000);
}

void check_expm(const Tensor& x) {
  SCOPED_TRACE(fmt::format("{}", x.spec()));
  const Tensor there = [&] {
    const OnGpu on_gpu;
    return linalg::expm(x.to(kGpu));
  }();
  expect_near(there, linalg::expm(x));
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
      const Tensor any = random_tensor({dtype, shape});
      check_eigh(any + transposed(any));
    }
}

TEST_F(GpuMatrices, OthersOfLargerMatrices) {
  for (const DType dtype : {float32, float64}) {
    for (const int64_t n : {1, 31, 50}) {
      check_triangles(dtype, n);
      check_qr(random_tensor({dtype, {2, n, n}}));
      check_expm(random_tensor({dtype, {2, n, n}}) * (2.0 / static_cast<double>(n)));
    }
    check_expm(random_tensor({dtype, {2, 20, 20}}));  // is halved on the way
  }
}

/// They are worked on in the card's memory then.
TEST_F(GpuMatrices, LargerThanSharedMemory) {
  check_triangles(float64, 176);
  check_qr(random_tensor({float64, {130, 125}}));
  check_expm(random_tensor({float64, {72, 72}}) * 0.2);
  check_svd(random_tensor({float64, {160, 20}}), true);
  // Of many, one with something to do: the host that looks like a GPU takes its time for rotations.
  const Tensor any = random_tensor({float64, {1, 121, 121}});
  check_eigh(concat({any + transposed(any), zeros({63, 121, 121}, float64)}, 0));
}

/// One block would take longer than the CPU does.
TEST_F(GpuMatrices, LargeOnesAreLeftToTheCpu) {
  const Tensor any = random_tensor({float32, {300, 300}}) + eye(300) * 300.0;
  const Tensor there = linalg::inv(any.to(kGpu));
  EXPECT_EQ(there.device(), kGpu);
  expect_near(there, linalg::inv(any));
  const Spec small{float32, {128, 128}}, large = any.spec(), many{float32, {64, 300, 300}};
  const auto supports = [&](const Op& op, const Spec& spec) {
    const Spec* specs[] = {&spec};
    return gpu().supports(op, SpecRefs(specs));
  };
  EXPECT_TRUE(supports(Inv(), small));
  EXPECT_FALSE(supports(Inv(), large));
  EXPECT_TRUE(supports(Inv(), many));
  EXPECT_FALSE(supports(Svd(), large));
  EXPECT_FALSE(supports(Eigh(), large));
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
