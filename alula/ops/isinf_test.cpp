#include "alula/ops/isinf.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(isinf) {
  check_elementwise(alula::isinf, [](double x) { return std::isinf(x); });
}
