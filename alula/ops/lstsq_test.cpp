#include "alula/ops/lstsq.h"

#include "alula/ops/matrix_op_test.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// By the normal equations.
Plain plain_lstsq(const Plain& a, const Plain& b, double regularizer) {
  const bool tall = a.rows >= a.columns;
  Plain normal = tall ? transposed(a) * a : a * transposed(a);
  for (int64_t i = 0; i < normal.rows; ++i) normal(i, i) += regularizer;
  return tall ? plain_solve(normal, transposed(a) * b) : transposed(a) * plain_solve(normal, b);
}

}  // namespace

TEST(Lstsq, ComesNearest) {
  for (DType dtype : {float32, float64})
    for (const Shape& shape : {Shape{5, 3}, Shape{3, 5}, Shape{2, 4, 2}, Shape{4, 4}})
      for (double regularizer : {0., 0.5})
        for (bool fast : {true, false}) {
          if (!fast && regularizer != 0) continue;
          const Tensor a = random_tensor({dtype, shape});
          const Tensor b = random_tensor({dtype, shape.with(shape.rank() - 1, 2)});
          OpTest::check(
              [&](const auto& in) {
                return linalg::lstsq(in[0], in[1], {.l2_regularizer = regularizer, .fast = fast});
              },
              {a, b},
              [&](const auto& in) {
                return for_matrices(in, columns_of(shape), 2, [&](const auto& m) {
                  return plain_lstsq(m[0], m[1], regularizer);
                });
              },
              {.relative = dtype == float32 ? 2e-3 : 1e-9});
        }
  EXPECT_ERROR(linalg::lstsq({{1.f}}, {{1.f}, {2.f}}), InvalidArgumentError,
               "lstsq: the matrix has 1 rows, the right-hand side 2");
  EXPECT_ERROR(linalg::lstsq({{1.f}}, {{1.f}}, {.l2_regularizer = -1}), InvalidArgumentError,
               "must not be negative. Got -1");
  // Of several solutions the smallest one.
  expect_equal(linalg::lstsq({{1., 1.}, {1., 1.}}, {{2.}, {2.}}, {.fast = false}), {{2, 1}, {1, 1}},
               float32);
}

TEST(Pinv, InvertsWhatCanBeInverted) {
  expect_equal(linalg::pinv({{2., 0.}, {0., 0.}}), {{2, 2}, {0.5, 0, 0, 0}}, float32);
  expect_equal(linalg::pinv({{1., 0.}, {0., 0.01}}, 0.1), {{2, 2}, {1, 0, 0, 0}}, float32);
  expect_equal(linalg::pinv({{1.f}, {2.f}}), {{1, 2}, {0.2, 0.4}}, float32);
  expect_equal(linalg::pinv({{0., 0.}}), {{2, 1}, {0, 0}}, float32);
  OpTest::compare_gradient([](const std::vector<Tensor>& in) { return linalg::pinv(in[0]); },
                           {random_tensor({float64, {2, 4, 3}})});
  EXPECT_ERROR(linalg::pinv({1.}), InvalidArgumentError, "pinv: takes matrices");
}

TEST(MatrixRank, CountsSingularValues) {
  expect_equal(linalg::matrix_rank({{{1., 2.}, {2., 4.}}, {{1., 2.}, {2., 5.}}}), {{2}, {1, 2}},
               int32);
  expect_equal(linalg::matrix_rank({{1.f, 0.f}, {0.f, 0.01f}}, 0.1), {{}, {1}}, int32);
  expect_equal(linalg::matrix_rank(Tensor::uninitialized({float32, {3, 0}})), {{}, {0}}, int32);
}
