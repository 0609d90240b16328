#include "alula/ops/sub.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(sub) {
  check_elementwise(alula::sub, [](double a, double b) { return a - b; }, {.from = -60, .to = 60});
}
