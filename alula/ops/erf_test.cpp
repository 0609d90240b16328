#include "alula/ops/erf.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(erf) {
  check_elementwise(alula::erf, [](double x) { return std::erf(x); }, {.from = -7, .to = 7});
}
