#include "alula/ops/triangular_solve.h"

#include "alula/ops/matrix_op_test.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(triangular_solve) {
  // The other triangle is there, to be left unread.
  const auto triangle = [](Plain a, bool lower) {
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t j = 0; j < a.columns; ++j)
        if (lower ? j > i : j < i) a(i, j) = 0;
    return a;
  };
  for (DType dtype : {float32, float64})
    for (const Shape& shape : square_shapes())
      for (int64_t k : {0, 1, 3})
        for (bool lower : {false, true})
          for (bool adjoint : {false, true})
            OpTest::check(
                [&](const auto& in) {
                  return linalg::triangular_solve(in[0], in[1],
                                                  {.lower = lower, .adjoint = adjoint});
                },
                {far_from_singular({dtype, shape}),
                 random_tensor({dtype, shape.with(shape.rank() - 1, k)})},
                [&](const auto& in) {
                  return for_matrices(in, rows_of(in[1].shape), k, [&](const auto& m) {
                    const Plain a = triangle(m[0], lower);
                    return plain_solve(adjoint ? transposed(a) : a, m[1]);
                  });
                },
                matrix_tolerance(dtype));
  EXPECT_ERROR(linalg::triangular_solve({{1.f, 2.f}}, {{1.f}}), InvalidArgumentError,
               "triangular_solve: the matrices must be square");
  EXPECT_ERROR(linalg::triangular_solve({{1.f}}, {1.f}), InvalidArgumentError, "takes matrices");
}

TEST(TriangularSolve, DifferentiatesTwice) {
  compare_second_gradient(
      [](const std::vector<Tensor>& in) {
        return linalg::triangular_solve(in[0], in[1], {.lower = false, .adjoint = true});
      },
      {far_from_singular({float64, {3, 3}}), random_tensor({float64, {3, 2}})});
}
