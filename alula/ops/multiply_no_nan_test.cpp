#include "alula/ops/multiply_no_nan.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(multiply_no_nan) {
  check_elementwise(multiply_no_nan, [](double a, double b) { return b == 0 ? 0 : a * b; });
}
