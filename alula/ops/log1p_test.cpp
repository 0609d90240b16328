#include "alula/ops/log1p.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(log1p) {
  check_elementwise(alula::log1p, [](double x) { return std::log1p(x); }, {.from = -1.5, .to = 50});
}
