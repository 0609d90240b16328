#include "alula/ops/mul_add.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(mul_add) {
  check_elementwise(mul_add, [](double x, double f, double s) { return x * f + s; });
  // Rows that fill a tile of the CPU's interpreter evenly, and others.
  for (DType dtype : {float32, float64, uint8})
    for (int64_t row : {3, 16, 24, 64, 200}) {
      const Spec x{dtype, {3001, row}}, one{dtype, {row}};
      OpTest::check(
          [](const auto& in) { return mul_add(in[0], in[1], in[2]); },
          {random_tensor(x, {-3, 3}), random_tensor(one, {-3, 3}), random_tensor(one, {-3, 3})},
          [](const auto& in) {
            Array result(in[0].shape);
            for (int64_t i = 0; i < result.size(); ++i) {
              const int64_t k = i % in[1].size();
              result.values[i] = in[0].values[i] * in[1].values[k] + in[2].values[k];
            }
            return result;
          },
          {.scale = 10});
    }
  expect_equal(mul_add({1.f, 2.f}, 10, {0.5f, 0.25f}), {{2}, {10.5, 20.25}}, float32);
  EXPECT_ERROR(mul_add({1.f}, {1}, 0), InvalidArgumentError, "mul_add: input 1 must be float32");
}
