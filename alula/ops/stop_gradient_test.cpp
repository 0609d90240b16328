#include "alula/ops/stop_gradient.h"

#include "alula/ops/data_movement_test.h"
#include "alula/ops/matmul.h"

using namespace alula;
using namespace alula::testing;

OP_TEST(stop_gradient) {
  for (const DType dtype : every_dtype())
    for (const Shape& shape : std::vector<Shape>{{}, {0, 3}, {7}, {40, 30}})
      // Finite differences see through it; the tape must not.
      OpTest::check([](const auto& in) { return stop_gradient(in[0]); }, {varied(dtype, shape)},
                    [](const std::vector<Array>& in) { return in[0]; }, {.gradient = false});
  // A gradient flows past it: of in[0] here, and not of the constant.
  const Tensor constant = random_tensor({float64, {3, 2}});
  OpTest::compare_gradient([&](const auto& in) { return matmul(in[0], stop_gradient(constant)); },
                           {random_tensor({float64, {2, 3}})});
  EXPECT_EQ(inferred(StopGradient(), {{float32, {kUnknown, 3}}}), "[?,3]");
}
