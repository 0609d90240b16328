#include "alula/ops/solve.h"

#include "alula/ops/fill.h"
#include "alula/ops/matrix_op_test.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(inv) {
  for (DType dtype : {float32, float64})
    for (const Shape& shape : square_shapes())
      for (bool adjoint : {false, true})
        OpTest::check([&](const auto& in) { return linalg::inv(in[0], {.adjoint = adjoint}); },
                      {far_from_singular({dtype, shape})},
                      [&](const auto& in) {
                        const int64_t n = columns_of(in[0].shape);
                        return for_matrices(in, n, n, [&](const auto& m) {
                          const Plain inverse = plain_solve(m[0], Plain::identity(n));
                          return adjoint ? transposed(inverse) : inverse;
                        });
                      },
                      matrix_tolerance(dtype));
  EXPECT_ERROR(linalg::inv({{1.f, 2.f}, {2.f, 4.f}}), InvalidArgumentError,
               "inv: the input matrix is not invertible. Got float32[2,2]");
  EXPECT_ERROR(linalg::inv({{NAN, 2.}, {2., 4.}}), InvalidArgumentError, "is not invertible");
  EXPECT_ERROR(linalg::inv({{1.f, 2.f}}), InvalidArgumentError, "must be square. Got float32[1,2]");
  EXPECT_ERROR(linalg::inv({1.f, 2.f}), InvalidArgumentError,
               "[..., rows, columns]. Got float32[2]");
  EXPECT_ERROR(linalg::inv({{1}}), InvalidArgumentError, "Got int32[1,1]. Use cast()");
}

OP_TEST(solve) {
  for (DType dtype : {float32, float64})
    for (const Shape& shape : square_shapes())
      for (int64_t k : {0, 1, 3})
        for (bool adjoint : {false, true})
          OpTest::check(
              [&](const auto& in) { return linalg::solve(in[0], in[1], {.adjoint = adjoint}); },
              {far_from_singular({dtype, shape}),
               random_tensor({dtype, shape.with(shape.rank() - 1, k)})},
              [&](const auto& in) {
                return for_matrices(in, rows_of(in[1].shape), k, [&](const auto& m) {
                  return plain_solve(adjoint ? transposed(m[0]) : m[0], m[1]);
                });
              },
              matrix_tolerance(dtype));
  EXPECT_ERROR(linalg::solve({{0.f}}, {{1.f}}), InvalidArgumentError, "is not invertible");
  EXPECT_ERROR(linalg::solve({{1.f}}, constant({{1.}}, float64)), InvalidArgumentError,
               "the dtypes differ");
  EXPECT_ERROR(linalg::solve({{1.f}}, {{1.f}, {2.f}}), InvalidArgumentError,
               "the matrix has 1 rows, the right-hand side 2. Got float32[1,1], float32[2,1]");
}

TEST(Solve, Broadcasts) {
  const Tensor matrices = constant({{{2., 1.}, {1., 3.}}, {{1., 0.5}, {0.25, 1.}}}, float64);
  const Tensor rhs = constant({{4.}, {7.}}, float64);
  const auto f = [](const std::vector<Tensor>& in) { return linalg::solve(in[0], in[1]); };
  expect_equal(f({matrices, rhs}), {{2, 2, 1}, {1, 2, 4. / 7, 48. / 7}}, float64);
  OpTest::compare_gradient(f, {matrices, rhs});
  EXPECT_ERROR(f({matrices, zeros({3, 2, 1}, float64)}), InvalidArgumentError, "solve");
}

TEST(Solve, DifferentiatesTwice) {
  const Tensor matrix = far_from_singular({float64, {3, 3}});
  compare_second_gradient([](const std::vector<Tensor>& in) { return linalg::solve(in[0], in[1]); },
                          {matrix, random_tensor({float64, {3, 2}})});
  compare_second_gradient([](const std::vector<Tensor>& in) { return linalg::inv(in[0]); },
                          {matrix});
}
