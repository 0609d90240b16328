#include "alula/ops/expm.h"

#include "alula/ops/matrix_op_test.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// The series, of a matrix made small, squared as often as it was halved.
Plain plain_expm(Plain a) {
  constexpr int kHalvings = 12;
  for (double& value : a.values) value /= 1 << kHalvings;
  Plain sum = Plain::identity(a.rows), term = sum;
  for (int k = 1; k < 12; ++k) {
    term = term * a;
    for (size_t i = 0; i < term.values.size(); ++i) {
      term.values[i] /= k;
      sum.values[i] += term.values[i];
    }
  }
  for (int i = 0; i < kHalvings; ++i) sum = sum * sum;
  return sum;
}

}  // namespace

OP_TEST(expm) {
  for (DType dtype : {float32, float64})
    for (const Shape& shape : square_shapes())
      for (double size : {0.1, 2.})
        OpTest::check(
            [](const auto& in) { return linalg::expm(in[0]); },
            {random_tensor({dtype, shape}, {-size / static_cast<double>(1 + columns_of(shape)),
                                            size / static_cast<double>(1 + columns_of(shape))})},
            [](const auto& in) {
              const int64_t n = columns_of(in[0].shape);
              return for_matrices(in, n, n, [](const auto& m) { return plain_expm(m[0]); });
            },
            {.relative = dtype == float32 ? 1e-5 : 1e-10});
  EXPECT_ERROR(linalg::expm({{1.f, 2.f}}), InvalidArgumentError,
               "expm: the matrices must be square");
}

TEST(Expm, DifferentiatesTwice) {
  compare_second_gradient([](const std::vector<Tensor>& in) { return linalg::expm(in[0]); },
                          {random_tensor({float64, {3, 3}}, {-1, 1})});
}
