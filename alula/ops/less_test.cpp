#include "alula/ops/less.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(less) {
  check_elementwise(alula::less, [](double a, double b) { return a < b; });
}
