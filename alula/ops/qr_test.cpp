#include "alula/ops/qr.h"

#include "alula/ops/matmul.h"
#include "alula/ops/matrix_op_test.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(qr) {
  for (DType dtype : {float32, float64})
    for (const Shape& shape : matrix_shapes())
      for (bool full : {false, true}) {
        const Tensor x = random_tensor({dtype, shape});
        const linalg::QrOptions options{.full_matrices = full};
        const int64_t m = rows_of(shape), n = columns_of(shape), k = full ? m : std::min(m, n);
        Tolerance tolerance = matrix_tolerance(dtype);
        tolerance.gradient = !full || m <= n;
        OpTest::check(
            [&](const auto& in) {
              const linalg::QrResult result = linalg::qr(in[0], options);
              return matmul(result.q, result.r);
            },
            {x}, [](const auto& in) { return in[0]; }, tolerance);
        OpTest::check(
            [&](const auto& in) {
              const Tensor q = linalg::qr(in[0], options).q;
              return matmul(q, q, {.transpose_a = true});
            },
            {x}, [&](const auto& in) { return identities(batch_of(in[0].shape), k); }, tolerance);
        // Nothing below the diagonal.
        const Tensor r = linalg::qr(x, options).r;
        expect_equal(linalg::band_part(r, 0, -1), to_array(r), dtype);
      }
  EXPECT_ERROR(linalg::qr({1.f}), InvalidArgumentError, "qr: takes matrices");
  EXPECT_ERROR(
      gradient_of([](const auto& in) { return linalg::qr(in[0], {.full_matrices = true}).q; },
                  {{{1.}, {2.}}}),
      UnimplementedError, "more rows than columns have no gradient");
}

TEST(Qr, HasGradients) {
  const auto q = [](const std::vector<Tensor>& in) { return linalg::qr(in[0]).q; };
  const auto r = [](const std::vector<Tensor>& in) { return linalg::qr(in[0]).r; };
  for (const Shape& shape : {Shape{3, 3}, Shape{5, 3}, Shape{3, 5}, Shape{2, 4, 2}}) {
    SCOPED_TRACE(to_string(shape));
    const Tensor x = random_tensor({float64, shape});
    OpTest::compare_gradient(q, {x});
    OpTest::compare_gradient(r, {x});
  }
  compare_second_gradient(r, {random_tensor({float64, {4, 3}})});
}
