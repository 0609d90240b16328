#include "alula/ops/atan2.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(atan2) {
  check_elementwise(alula::atan2, [](double y, double x) { return std::atan2(y, x); });
}
