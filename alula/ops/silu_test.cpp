#include "alula/ops/silu.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(silu) {
  check_elementwise(silu, [](double x) { return x / (1 + std::exp(-x)); }, {.from = -20, .to = 20});
}
