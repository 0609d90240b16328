#include "alula/ops/log.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(log) {
  check_elementwise(alula::log, [](double x) { return std::log(x); }, {.from = -1, .to = 100});
}
