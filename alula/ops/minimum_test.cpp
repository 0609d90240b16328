#include "alula/ops/minimum.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(minimum) {
  check_elementwise(alula::minimum, [](double a, double b) { return a != a || a < b ? a : b; });
}
