#include "alula/ops/maximum.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(maximum) {
  check_elementwise(alula::maximum, [](double a, double b) { return a != a || a > b ? a : b; });
}
