#include "alula/ops/logical_or.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(logical_or) {
  check_elementwise(alula::logical_or, [](double a, double b) { return a != 0 || b != 0; });
  EXPECT_ERROR(logical_or({1}, {1}), InvalidArgumentError, "logical_or: takes bool. Got int32");
}
