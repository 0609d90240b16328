#include "alula/ops/isfinite.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(isfinite) {
  check_elementwise(alula::isfinite, [](double x) { return std::isfinite(x); });
}
