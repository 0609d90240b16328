#include "alula/ops/less_equal.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(less_equal) {
  check_elementwise(alula::less_equal, [](double a, double b) { return a <= b; });
}
