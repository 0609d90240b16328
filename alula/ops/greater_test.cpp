#include "alula/ops/greater.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(greater) {
  check_elementwise(alula::greater, [](double a, double b) { return a > b; });
}
