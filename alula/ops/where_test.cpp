#include "alula/ops/where.h"

#include "alula/testing/elementwise_harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(where) {
  check_elementwise(where, [](double c, double a, double b) { return c != 0 ? a : b; });
  expect_equal(where({true, false}, {1.f, 2.f}, 7), {{2}, {1, 7}}, float32);
  expect_equal(where(true, {1, 2}, 7), {{2}, {1, 2}}, int32);
  // What is not chosen does not matter.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  expect_equal(where({true, false}, {1.f, nan}, {nan, 2.f}), {{2}, {1, 2}}, float32);
  EXPECT_ERROR(where({1, 0}, {1.f, 2.f}, {3.f, 4.f}), InvalidArgumentError,
               "where: input 0 must be bool");
  EXPECT_ERROR(where({true}, {1.f}, {2}), InvalidArgumentError, "where: input 2 must be float32");
  EXPECT_ERROR(where({true, false}, {1, 2, 3}, 0), InvalidArgumentError, "do not broadcast");
  EXPECT_ERROR(where({true}, 1, 2), InvalidArgumentError, "one of the arguments must be a tensor");
  EXPECT_ERROR(where({true}, {1}, Tensor()), InvalidArgumentError, "an input is not defined");
  EXPECT_ERROR(where({true}, Tensor(), 2), InvalidArgumentError, "where: an input is not defined");
}
