#include "alula/ops/sin.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(sin) {
  check_elementwise(alula::sin, [](double x) { return std::sin(x); }, {.from = -100, .to = 100});
}
