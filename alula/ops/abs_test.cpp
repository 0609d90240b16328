#include "alula/ops/abs.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(abs) {
  check_elementwise(alula::abs, [](double x) { return std::abs(x); });
  EXPECT_EQ(alula::abs(Tensor(std::vector<int8_t>{-128})).item<int8_t>(), -128);
}
