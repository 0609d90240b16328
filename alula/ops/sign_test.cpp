#include "alula/ops/sign.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(sign) {
  check_elementwise(alula::sign, [](double x) { return x > 0 ? 1 : x < 0 ? -1 : x; });
}
