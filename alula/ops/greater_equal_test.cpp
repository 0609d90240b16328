#include "alula/ops/greater_equal.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(greater_equal) {
  check_elementwise(alula::greater_equal, [](double a, double b) { return a >= b; });
}
