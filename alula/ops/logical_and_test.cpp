#include "alula/ops/logical_and.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(logical_and) {
  check_elementwise(alula::logical_and, [](double a, double b) { return a != 0 && b != 0; });
  EXPECT_ERROR(logical_and({1}, {1}), InvalidArgumentError, "logical_and: takes bool. Got int32");
}
