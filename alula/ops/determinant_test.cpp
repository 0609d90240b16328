#include "alula/ops/determinant.h"

#include "alula/ops/matrix_op_test.h"

using namespace alula;
using namespace alula::testing;

namespace {

Array determinants(const Array& x) {
  Array result(batch_of(x.shape));
  for (int64_t i = 0; i < result.size(); ++i)
    plain_solve(plain_matrix(x, i), Plain(rows_of(x.shape), 0), &result.values[i]);
  return result;
}

const Tensor kSingular = {{1., 2.}, {2., 4.}};

}  // namespace

OP_TEST(det) {
  for (DType dtype : {float32, float64})
    for (const Shape& shape : square_shapes())
      OpTest::check([](const auto& in) { return linalg::det(in[0]); },
                    {columns_of(shape) > 5 ? to_tensor(identities({}, 33), dtype)
                                           : far_from_singular({dtype, shape})},
                    [](const auto& in) { return determinants(in[0]); }, matrix_tolerance(dtype));
  expect_equal(linalg::det(kSingular), {{}, {0}}, float32);
  EXPECT_ERROR(gradient_of([](const auto& in) { return linalg::det(in[0]); }, {kSingular}),
               InvalidArgumentError, "is not invertible");
  EXPECT_ERROR(linalg::det({{1.f, 2.f}}), InvalidArgumentError, "det: the matrices must be square");
}

OP_TEST(slogdet) {
  for (DType dtype : {float32, float64})
    for (const Shape& shape : square_shapes()) {
      Tensor x = far_from_singular({dtype, shape});
      OpTest::check([](const auto& in) { return linalg::slogdet(in[0]).log_abs_determinant; }, {x},
                    [](const auto& in) {
                      Array result = determinants(in[0]);
                      for (double& value : result.values) value = std::log(std::abs(value));
                      return result;
                    },
                    matrix_tolerance(dtype));
      OpTest::check([](const auto& in) { return linalg::slogdet(in[0]).sign; },
                    {random_tensor({dtype, shape})},
                    [](const auto& in) {
                      Array result = determinants(in[0]);
                      for (double& value : result.values) value = value < 0 ? -1 : 1;
                      return result;
                    },
                    {.gradient = false});
    }
  const linalg::SlogdetResult singular = linalg::slogdet(kSingular);
  EXPECT_EQ(singular.sign.item<float>(), 0);
  EXPECT_EQ(singular.log_abs_determinant.item<float>(), -INFINITY);
  EXPECT_ERROR(linalg::slogdet({1.f}), InvalidArgumentError, "slogdet: takes matrices");
}

TEST(Determinant, DifferentiatesTwice) {
  compare_second_gradient([](const std::vector<Tensor>& in) { return linalg::det(in[0]); },
                          {far_from_singular({float64, {3, 3}})});
}
