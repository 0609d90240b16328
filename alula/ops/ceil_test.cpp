#include "alula/ops/ceil.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(ceil) {
  check_elementwise(alula::ceil, [](double x) { return std::ceil(x); });
}
