#include "alula/ops/tan.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(tan) {
  check_elementwise(alula::tan, [](double x) { return std::tan(x); }, {.from = -10, .to = 10});
}
