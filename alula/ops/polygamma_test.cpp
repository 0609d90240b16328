#include "alula/ops/polygamma.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// (-1)^(a + 1) a! times the sum of (x + k)^-(a + 1).
double plain_polygamma(double a, double x) {
  if (a == 0) {
    const double h = 1e-3L;  // two differences of lgamma, extrapolated
    const auto slope = [&](long double step) {
      return (std::lgamma(x + step) - std::lgamma(x - step)) / (2 * step);
    };
    return static_cast<double>((4 * slope(h) - slope(2 * h)) / 3);
  }
  long double sum = 0, at = x;
  for (int i = 0; i < 400; ++i, ++at) sum += std::pow(at, -static_cast<long double>(a + 1));
  const long double last = std::pow(at, -static_cast<long double>(a + 1));
  sum += last * at / a + last / 2 + last * (a + 1) / (12 * at);
  return static_cast<double>((static_cast<int>(a) % 2 == 1 ? 1 : -1) * std::tgamma(a + 1) * sum);
}

}  // namespace

OP_TEST(polygamma) {
  for (DType dtype : {float16, bfloat16, float32, float64})
    for (double order : {0., 1., 2., 5.}) {
      const Tensor a = to_tensor({{}, {order}}, dtype);
      OpTest::check([&](const auto& in) { return polygamma(a.to(in[0].device()), in[0]); },
                    {random_tensor({dtype, {33}}, {0.8, 9})},
                    [&](const auto& in) {
                      Array result(in[0].shape);
                      for (int64_t i = 0; i < result.size(); ++i)
                        result.values[i] = plain_polygamma(order, in[0].values[i]);
                      return result;
                    },
                    {.relative = dtype == float32   ? 3e-6
                                 : dtype == float64 ? (order == 0 ? 1e-9 : 1e-12)
                                                    : tolerance_of(dtype)});
    }
  expect_equal(polygamma({-1., 1.5, 1.}, {2., 2., 0.}),
               {{3}, {NAN, NAN, std::numeric_limits<double>::infinity()}}, float32);
}
