#include "alula/ops/reciprocal.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(reciprocal) {
  check_elementwise(alula::reciprocal, [](double x) { return 1 / x; });
}
