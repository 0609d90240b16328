#include "alula/ops/lu.h"

#include "alula/ops/gather.h"
#include "alula/ops/matrix_op_test.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(lu) {
  for (DType dtype : {float32, float64})
    for (const Shape& shape : square_shapes()) {
      const Tensor x = random_tensor({dtype, shape});
      OpTest::check(
          [](const auto& in) {
            const linalg::LuResult result = linalg::lu(in[0]);
            return linalg::lu_reconstruct(result.lu, result.p);
          },
          {x}, [](const auto& in) { return in[0]; }, matrix_tolerance(dtype));
    }
  const linalg::LuResult result = linalg::lu(
      {{{0., 1., 2.}, {3., 4., 5.}, {6., 7., 9.}}, {{4., 0., 0.}, {2., 1., 0.}, {0., 3., 1.}}});
  expect_equal(
      result.lu,
      {{2, 3, 3}, {6, 7, 9, 0, 1, 2, 0.5, 0.5, -0.5, 4, 0, 0, 0, 3, 1, 0.5, 1. / 3, -1. / 3}},
      float32);
  expect_equal(result.p, {{2, 3}, {2, 0, 1, 0, 2, 1}}, int32);
  EXPECT_ERROR(linalg::lu(Tensor({{1.f, 2.f}, {2.f, 4.f}})), InvalidArgumentError,
               "lu: the input matrix is not invertible");
  EXPECT_ERROR(linalg::lu({{1.f, 2.f}}), InvalidArgumentError, "lu: the matrices must be square");
}

TEST(Lu, HasAGradient) {
  const auto f = [](const std::vector<Tensor>& in) { return linalg::lu(in[0]).lu; };
  OpTest::compare_gradient(f, {random_tensor({float64, {2, 4, 4}})});
  compare_second_gradient(f, {far_from_singular({float64, {3, 3}})});
}

TEST(Lu, SolvesAndInverts) {
  const Tensor x = random_tensor({float64, {2, 4, 4}}), rhs = random_tensor({float64, {2, 4, 3}});
  const linalg::LuResult parts = linalg::lu(x);
  const auto solve = [](const auto& m) { return plain_solve(m[0], m[1]); };
  expect_equal(linalg::lu_solve(parts.lu, parts.p, rhs),
               for_matrices({to_array(x), to_array(rhs)}, 4, 3, solve), float64,
               {.relative = 1e-10});
  expect_equal(linalg::lu_matrix_inverse(parts.lu, parts.p),
               for_matrices({to_array(x), identities({2}, 4)}, 4, 4, solve), float64,
               {.relative = 1e-10});
  EXPECT_ERROR(linalg::lu_solve(parts.lu, {0, 1}, rhs), InvalidArgumentError,
               "lu_solve: perm must be [..., m] beside matrices [..., m, m]");
  EXPECT_ERROR(linalg::lu_reconstruct(parts.lu, rhs), InvalidArgumentError,
               "must be int32 or int64");
}
