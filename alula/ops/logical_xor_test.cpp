#include "alula/ops/logical_xor.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(logical_xor) {
  check_elementwise(alula::logical_xor, [](double a, double b) { return a != b; });
  EXPECT_ERROR(logical_xor({1}, {1}), InvalidArgumentError, "logical_xor: takes bool. Got int32");
}
