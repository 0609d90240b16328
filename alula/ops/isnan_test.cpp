#include "alula/ops/isnan.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(isnan) {
  check_elementwise(alula::isnan, [](double x) { return std::isnan(x); });
}
