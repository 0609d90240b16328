#include "alula/ops/divide.h"

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

TEST(Divide, KeepsFloatingTypes) {
  for (DType dtype : {float16, bfloat16, float32, float64})
    expect_equal(divide(constant({1, 3}, dtype), constant({2, 4}, dtype)), {{2}, {0.5, 0.75}},
                 dtype);
}

TEST(Divide, DividesIntegersAsFloatingPoint) {
  for (DType dtype : {int8, int16, uint8, uint16})
    expect_equal(divide(constant({1, 3}, dtype), constant({2, 4}, dtype)), {{2}, {0.5, 0.75}},
                 float32);
  for (DType dtype : {int32, int64, uint32, uint64})
    expect_equal(divide(constant({1, 3}, dtype), constant({2, 4}, dtype)), {{2}, {0.5, 0.75}},
                 float64);
  expect_equal(divide({1, 3}, 2), {{2}, {0.5, 1.5}}, float64);
  expect_equal(divide(3, {1, 2}), {{2}, {3, 1.5}}, float64);
  EXPECT_EQ(divide({1}, {0}).item<double>(), std::numeric_limits<double>::infinity());
}

TEST(Divide, RejectsWhatItCannotDivide) {
  EXPECT_ERROR(divide({true}, {true}), InvalidArgumentError, "div: takes");
  EXPECT_ERROR(divide({1}, {2.f}), InvalidArgumentError,
               "divide: the dtypes differ. Got int32[1], float32[1]. Use cast().");
  EXPECT_ERROR(divide({1.f}, Tensor()), InvalidArgumentError, "divide: an input is not defined");
  EXPECT_ERROR(divide({1}, 2.5), InvalidArgumentError, "divide: 2.5 is not a value of int32");
  EXPECT_ERROR(divide(1, 2), InvalidArgumentError, "divide: one of the arguments must be a tensor");
}
