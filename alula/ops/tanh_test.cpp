#include "alula/ops/tanh.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(tanh) {
  check_elementwise(alula::tanh, [](double x) { return std::tanh(x); }, {.from = -12, .to = 12});
}
