#include "alula/ops/neg.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(neg) {
  check_elementwise(alula::neg, [](double x) { return -x; });
  EXPECT_EQ(neg(Tensor(std::vector<int8_t>{-128})).item<int8_t>(), -128);
  EXPECT_ERROR(neg(constant({1}, uint8)), InvalidArgumentError, "neg: takes");
}
