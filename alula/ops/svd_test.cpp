#include "alula/ops/svd.h"

#include "alula/ops/matmul.h"
#include "alula/ops/matrix_op_test.h"
#include "alula/ops/operators.h"
#include "alula/ops/reshape.h"
#include "alula/ops/slice.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// u * diag(s) * v', of whichever columns belong to a singular value.
Tensor product(const linalg::SvdResult& parts) {
  const int64_t k = parts.s.shape().back();
  const int last = parts.u.rank() - 1;
  return matmul(slice_along(parts.u, last, 0, k) * expand_dims(parts.s, -2),
                slice_along(parts.v, last, 0, k), {.transpose_b = true});
}

}  // namespace

OP_TEST(svd) {
  for (DType dtype : {float32, float64})
    for (const Shape& shape : matrix_shapes())
      for (bool full : {false, true}) {
        const Tensor x = random_tensor({dtype, shape});
        const linalg::SvdOptions options{.full_matrices = full};
        const int64_t m = rows_of(shape), n = columns_of(shape), k = std::min(m, n);
        Tolerance tolerance = matrix_tolerance(dtype);
        tolerance.scale = 10;
        tolerance.gradient = !full || m == n;
        OpTest::check([&](const auto& in) { return product(linalg::svd(in[0], options)); }, {x},
                      [](const auto& in) { return in[0]; }, tolerance);
        for (bool left : {true, false})
          OpTest::check(
              [&](const auto& in) {
                const linalg::SvdResult parts = linalg::svd(in[0], options);
                const Tensor& u = left ? parts.u : parts.v;
                return matmul(u, u, {.transpose_a = true});
              },
              {x},
              [&](const auto& in) {
                return identities(batch_of(in[0].shape), !full ? k : left ? m : n);
              },
              tolerance);
        // Sorted, positive, and the same without vectors.
        const Array s = to_array(linalg::svd(x, options).s);
        for (int64_t i = 0; i < s.size(); ++i) {
          EXPECT_GE(s.values[i], 0);
          EXPECT_LE(s.values[i], i % k > 0 ? s.values[i - 1] : INFINITY);
        }
        expect_equal(linalg::singular_values(x), s, dtype, tolerance);
      }
  expect_equal(linalg::singular_values({{0., 2.}, {1., 0.}}), {{2}, {2, 1}}, float32);
  expect_equal(linalg::svd({{1., INFINITY}}).s, {{1}, {NAN}}, float32);
  EXPECT_ERROR(linalg::svd({1.f}), InvalidArgumentError, "svd: takes matrices");
  EXPECT_ERROR(
      gradient_of([](const auto& in) { return linalg::svd(in[0], {.full_matrices = true}).u; },
                  {{{1.}, {2.}}}),
      UnimplementedError, "not square have no gradient");
}

TEST(Svd, HasGradients) {
  const auto s = [](const std::vector<Tensor>& in) { return linalg::svd(in[0]).s; };
  const auto u = [](const std::vector<Tensor>& in) { return linalg::svd(in[0]).u; };
  const auto v = [](const std::vector<Tensor>& in) { return linalg::svd(in[0]).v; };
  const auto values = [](const std::vector<Tensor>& in) { return linalg::singular_values(in[0]); };
  for (const Shape& shape : {Shape{3, 3}, Shape{4, 2}, Shape{2, 4}, Shape{2, 3, 2}}) {
    SCOPED_TRACE(to_string(shape));
    const Tensor x = random_tensor({float64, shape});
    OpTest::compare_gradient(s, {x});
    OpTest::compare_gradient(u, {x});
    OpTest::compare_gradient(v, {x});
    OpTest::compare_gradient(values, {x});
  }
  compare_second_gradient(values, {random_tensor({float64, {3, 2}})});
  compare_second_gradient(u, {random_tensor({float64, {3, 2}})});
}
