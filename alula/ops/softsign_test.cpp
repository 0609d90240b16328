#include "alula/ops/softsign.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(softsign) {
  check_elementwise(alula::softsign, [](double x) { return x / (1 + std::abs(x)); });
}
