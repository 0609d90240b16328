#include "alula/ops/floor.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(floor) {
  check_elementwise(alula::floor, [](double x) { return std::floor(x); });
}
