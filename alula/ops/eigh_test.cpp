#include "alula/ops/eigh.h"

#include "alula/ops/matmul.h"
#include "alula/ops/matrix_op_test.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/reshape.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// What is read of a matrix: its lower triangle, and that mirrored.
Array symmetric(const Array& x) {
  const int64_t n = columns_of(x.shape);
  return for_matrices({x}, n, n, [&](const auto& m) {
    Plain result = m[0];
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = i; j < n; ++j) result(i, j) = m[0](j, i);
    return result;
  });
}

/// Random ones whose eigenvalues are apart.
Tensor spread(const Spec& spec) {
  Array x = to_array(random_tensor(spec, {-0.5, 0.5}));
  const int64_t n = columns_of(spec.shape);
  for (int64_t i = 0; i < x.size(); ++i)
    if (i % n == i / n % n) x.values[i] += 2 * static_cast<double>(i % n);
  return to_tensor(x, spec.dtype);
}

}  // namespace

OP_TEST(eigh) {
  for (DType dtype : {float32, float64})
    for (const Shape& shape : square_shapes()) {
      const Tensor x = spread({dtype, shape});
      Tolerance tolerance = matrix_tolerance(dtype);
      tolerance.scale = 10;
      OpTest::check(
          [](const auto& in) {
            const linalg::EighResult result = linalg::eigh(in[0]);
            return matmul(result.v * expand_dims(result.e, -2), result.v, {.transpose_b = true});
          },
          {x}, [](const auto& in) { return symmetric(in[0]); }, tolerance);
      OpTest::check(
          [](const auto& in) {
            const Tensor v = linalg::eigh(in[0]).v;
            return matmul(v, v, {.transpose_a = true});
          },
          {x},
          [](const auto& in) { return identities(batch_of(in[0].shape), columns_of(in[0].shape)); },
          tolerance);
      expect_equal(linalg::eigvalsh(x), to_array(linalg::eigh(x).e), dtype, tolerance);
    }
  expect_equal(linalg::eigvalsh({{2., 99.}, {1., 2.}}), {{2}, {1, 3}}, float32);
  EXPECT_ERROR(linalg::eigh({{NAN, NAN}, {NAN, NAN}}), InvalidArgumentError,
               "eigh: the decomposition was not successful");
  EXPECT_ERROR(linalg::eigh({{1.f, 2.f}}), InvalidArgumentError, "must be square");
}

TEST(Eigh, HasGradients) {
  const Tensor x = spread({float64, {2, 3, 3}});
  const auto e = [](const std::vector<Tensor>& in) { return linalg::eigh(in[0]).e; };
  const auto v = [](const std::vector<Tensor>& in) { return linalg::eigh(in[0]).v; };
  const auto values = [](const std::vector<Tensor>& in) { return linalg::eigvalsh(in[0]); };
  OpTest::compare_gradient(e, {x});
  OpTest::compare_gradient(v, {x});
  OpTest::compare_gradient(values, {x});
  compare_second_gradient(values, {x});
  compare_second_gradient(v, {x});
  // Equal eigenvalues don't make it infinite.
  const Tensor equal = gradient_of(e, {{{1., 0.}, {0., 1.}}});
  expect_equal(equal, {{2, 2}, {1, 0, 0, 1}}, float32);
}
