#include "alula/ops/cos.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(cos) {
  check_elementwise(alula::cos, [](double x) { return std::cos(x); }, {.from = -100, .to = 100});
}
