#include "alula/ops/squared_difference.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(squared_difference) {
  check_elementwise(alula::squared_difference,
                    [](double a, double b) { return (a - b) * (a - b); });
}
