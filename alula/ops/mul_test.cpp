#include "alula/ops/mul.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(mul) {
  check_elementwise(alula::mul, [](double a, double b) { return a * b; }, {.from = -60, .to = 60});
}
