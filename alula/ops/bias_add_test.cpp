#include "alula/ops/bias_add.h"

#include "alula/ops/mul.h"
#include "alula/testing/gradients.h"

using namespace alula;
using namespace alula::testing;

TEST(BiasAdd, AddsToTheLastAxis) {
  for (const DType dtype : {float16, bfloat16, float32, float64, int32, int64, uint8})
    for (const Shape& shape :
         {Shape{7}, Shape{3, 17}, Shape{2, 3, 4, 33}, Shape{0, 5}, Shape{4, 0}})
      OpTest::check(
          [](const std::vector<Tensor>& in) { return bias_add(in[0], in[1]); },
          {random_tensor({dtype, shape}, {0, 9}), random_tensor({dtype, {shape.back()}}, {0, 9})},
          [](const std::vector<Array>& in) {
            Array sum = broadcast_to(in[1], in[0].shape);
            for (int64_t i = 0; i < sum.size(); ++i) sum.values[i] += in[0].values[i];
            return sum;
          });
}

TEST(BiasAdd, HasSecondGradients) {
  compare_second_gradient(
      [](const std::vector<Tensor>& in) {
        const Tensor y = bias_add(in[0], in[1]);
        return mul(y, y);  // alone it is linear
      },
      {random_tensor({float64, {3, 5}}), random_tensor({float64, {5}})});
}

TEST(BiasAdd, SaysWhatIsWrong) {
  const auto run = [](const Shape& x, const Shape& bias, DType dtype = float32) {
    return bias_add(random_tensor({float32, x}), random_tensor({dtype, bias}));
  };
  EXPECT_ERROR(
      run({2, 3}, {4}), InvalidArgumentError,
      "bias_add: x has 3 channels but the bias has 4. Got x float32[2,3], bias float32[4].");
  EXPECT_ERROR(run({2, 3}, {1}), InvalidArgumentError, "x has 3 channels but the bias has 1");
  EXPECT_ERROR(run({2, 3}, {1, 3}), InvalidArgumentError, "the bias must have 1 dimension");
  EXPECT_ERROR(run({}, {1}), InvalidArgumentError, "x needs at least 1 dimension");
  EXPECT_ERROR(run({2, 3}, {3}, float64), InvalidArgumentError, "bias_add: the dtypes differ");
  EXPECT_ERROR(bias_add(Tensor(), Tensor()), InvalidArgumentError, "not defined yet");
}
