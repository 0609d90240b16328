#include "alula/ops/equal.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(equal) {
  check_elementwise(alula::equal, [](double a, double b) { return a == b; });
}
