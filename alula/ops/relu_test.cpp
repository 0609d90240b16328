#include "alula/ops/relu.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(relu) {
  check_elementwise(relu, [](double x) { return x > 0 || x != x ? x : 0; });
}
