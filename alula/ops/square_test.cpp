#include "alula/ops/square.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(square) {
  check_elementwise(alula::square, [](double x) { return x * x; }, {.from = -20, .to = 20});
}
