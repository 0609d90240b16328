#include "alula/ops/logical_not.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(logical_not) {
  check_elementwise(alula::logical_not, [](double x) { return x == 0; });
  EXPECT_ERROR(logical_not({1}), InvalidArgumentError, "logical_not: takes bool. Got int32");
}
