#include "alula/ops/xdivy.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(xdivy) {
  check_elementwise(xdivy, [](double x, double y) { return x == 0 ? 0 : x / y; },
                    {.from = 0.5, .to = 4});
}
