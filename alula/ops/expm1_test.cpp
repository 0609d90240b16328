#include "alula/ops/expm1.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(expm1) {
  check_elementwise(alula::expm1, [](double x) { return std::expm1(x); }, {.from = -10, .to = 10});
}
