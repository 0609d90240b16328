#include "alula/ops/mul_add.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(mul_add) {
  check_elementwise(mul_add, [](double x, double f, double s) { return x * f + s; });
  expect_equal(mul_add({1.f, 2.f}, 10, {0.5f, 0.25f}), {{2}, {10.5, 20.25}}, float32);
  EXPECT_ERROR(mul_add({1.f}, {1}, 0), InvalidArgumentError, "mul_add: input 1 must be float32");
}
