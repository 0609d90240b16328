#include "alula/ops/cholesky.h"

#include "alula/ops/matmul.h"
#include "alula/ops/matrix_op_test.h"
#include "alula/ops/one_hot.h"
#include "alula/ops/operators.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// x x' + 1, which is symmetric and positive definite whatever x is.
Tensor definite(const Tensor& x) {
  return matmul(x, x, {.transpose_b = true}) + eye(columns_of(x.shape()), {.dtype = x.dtype()});
}

Plain plain_definite(const Plain& x) {
  Plain result = x * transposed(x);
  for (int64_t i = 0; i < x.rows; ++i) result(i, i) += 1;
  return result;
}

Plain plain_cholesky(const Plain& a) {
  Plain l(a.rows, a.rows);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      double rest = a(i, j);
      for (int64_t k = 0; k < j; ++k) rest -= l(i, k) * l(j, k);
      l(i, j) = i == j ? std::sqrt(rest) : rest / l(j, j);
    }
  return l;
}

}  // namespace

OP_TEST(cholesky) {
  for (DType dtype : {float32, float64})
    for (const Shape& shape : square_shapes())
      OpTest::check([](const auto& in) { return linalg::cholesky(definite(in[0])); },
                    {random_tensor({dtype, shape})},
                    [](const auto& in) {
                      const int64_t n = columns_of(in[0].shape);
                      return for_matrices(in, n, n, [](const auto& m) {
                        return plain_cholesky(plain_definite(m[0]));
                      });
                    },
                    matrix_tolerance(dtype));
  // The upper triangle is not read.
  expect_equal(linalg::cholesky({{4., 99.}, {2., 5.}}), {{2, 2}, {2, 0, 1, 2}}, float32);
  EXPECT_ERROR(linalg::cholesky({{1.f, 2.f}, {2.f, 1.f}}), InvalidArgumentError,
               "cholesky: the decomposition was not successful: the input matrix is not positive");
  EXPECT_ERROR(linalg::cholesky({{1.f, 2.f}}), InvalidArgumentError, "must be square");
}

TEST(Cholesky, DifferentiatesTwice) {
  compare_second_gradient(
      [](const std::vector<Tensor>& in) { return linalg::cholesky(definite(in[0])); },
      {random_tensor({float64, {3, 3}})});
}

TEST(Cholesky, SolvesAndGivesDeterminants) {
  const Tensor a = {{4., 2.}, {2., 5.}}, rhs = {{2.}, {9.}};
  const Tensor chol = linalg::cholesky(a);
  expect_equal(linalg::cholesky_solve(chol, rhs), {{2, 1}, {-0.5, 2}}, float32);
  expect_equal(linalg::logdet(a), {{}, {std::log(16.)}}, float32);
  OpTest::compare_gradient(
      [](const std::vector<Tensor>& in) { return linalg::logdet(definite(in[0])); },
      {random_tensor({float64, {2, 3, 3}})});
  OpTest::compare_gradient(
      [](const std::vector<Tensor>& in) {
        return linalg::cholesky_solve(linalg::cholesky(definite(in[0])), in[1]);
      },
      {random_tensor({float64, {2, 3, 3}}), random_tensor({float64, {3, 2}})});
}
