#include "alula/ops/add.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(add) {
  check_elementwise(add, [](double a, double b) { return a + b; }, {.from = 0, .to = 60});
}
