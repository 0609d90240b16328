#include "alula/ops/exp.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(exp) {
  check_elementwise(alula::exp, [](double x) { return std::exp(x); }, {.from = -10, .to = 10});
}
