#include "alula/ops/div.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(div) {
  check_elementwise(alula::div, [](double a, double b) { return a / b; });
  EXPECT_ERROR(alula::div({1}, {2}), InvalidArgumentError, "div: takes");
}
