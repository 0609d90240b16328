#include "alula/ops/not_equal.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(not_equal) {
  check_elementwise(alula::not_equal, [](double a, double b) { return a != b; });
}
