#include "alula/ops/sqrt.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(sqrt) {
  check_elementwise(alula::sqrt, [](double x) { return std::sqrt(x); }, {.from = -1, .to = 100});
}
