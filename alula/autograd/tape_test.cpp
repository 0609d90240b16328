#include "alula/autograd/tape.h"

#include "alula/ops/matmul.h"
#include "alula/ops/reshape.h"
#include "alula/ops/stop_gradient.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

TEST(GradientTape, OfAProduct) {
  const Variable a(Tensor{{1.f, 2.f}, {3.f, 4.f}}), b(Tensor{{5.f, 6.f}, {7.f, 8.f}});
  GradientTape tape;
  const Tensor c = matmul(a, b);
  const std::vector<Tensor> gradients = tape.gradient(c, {a, b});
  expect_equal(gradients[0], {{2, 2}, {11, 15, 11, 15}}, float32);
  expect_equal(gradients[1], {{2, 2}, {4, 4, 6, 6}}, float32);
}
