#include "alula/ops/lerp.h"

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(lerp) {
  for (DType dtype : {float16, bfloat16, float32, float64})
    for (const Shape& shape : {Shape{}, {0}, {17}, {3, 50}, {70'000}})
      for (double weight : {0.0, 0.01, 1.0})
        OpTest::check([&](const auto& in) { return lerp(in[0], in[1], weight); },
                      {random_tensor({dtype, shape}), random_tensor({dtype, shape})},
                      [&](const auto& in) {
                        Array result(in[0].shape);
                        for (int64_t i = 0; i < result.size(); ++i)
                          result.values[i] =
                              in[0].values[i] * (1 - weight) + in[1].values[i] * weight;
                        return result;
                      });
  EXPECT_ERROR(lerp({1.f}, {1}, 0.5), InvalidArgumentError, "lerp: input 1 must be float32");
  EXPECT_ERROR(lerp({1}, {1}, 0.5), InvalidArgumentError, "lerp: takes");
  EXPECT_ERROR(lerp(Tensor(), {1.f}, 0.5), InvalidArgumentError, "is not defined yet");
}

TEST(AssignLerp, WritesWhereTheVariableIs) {
  const Variable variable(Tensor{1.f, 2.f});
  const void* place = variable.storage().data();
  assign_lerp(variable, {2.f, 4.f}, 0.5);
  EXPECT_EQ(variable.storage().data(), place);
  expect_equal(variable, {{2}, {1.5, 3}}, float32);
  const Tensor held = variable;  // what somebody holds stays as it is
  assign_lerp(variable, {2.5f, 3.f}, 1);
  expect_equal(held, {{2}, {1.5, 3}}, float32);
  expect_equal(variable, {{2}, {2.5, 3}}, float32);
}
