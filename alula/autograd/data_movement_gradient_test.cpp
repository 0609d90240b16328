#include "alula/autograd/tape.h"
#include "alula/ops/concat.h"
#include "alula/ops/fill.h"
#include "alula/ops/gather.h"
#include "alula/ops/matmul.h"
#include "alula/ops/pad.h"
#include "alula/ops/reshape.h"
#include "alula/ops/reverse.h"
#include "alula/ops/scatter_nd.h"
#include "alula/ops/slice.h"
#include "alula/ops/split.h"
#include "alula/ops/stop_gradient.h"
#include "alula/ops/strided_slice.h"
#include "alula/ops/tile.h"
#include "alula/ops/transpose.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// Compares the second derivative of |f(x)|² with finite differences of the first. These ops are
/// linear, so that it is the gradient of their gradient that counts.
void compare_second(const std::function<Tensor(const Tensor&)>& f, const Shape& shape) {
  OpTest::compare_gradient(
      [&](const std::vector<Tensor>& in) {
        GradientTape tape;
        tape.watch(in[0]);
        const Tensor y = reshape(f(in[0]), {1, -1});
        return tape.gradient(matmul(y, y, {.transpose_b = true}), in[0]);
      },
      {random_tensor({float64, shape})});
}

/// Counts the ops of a name that run.
class Counter final : public Listener {
 public:
  explicit Counter(std::string name) : name_(std::move(name)) {}
  void ran(const Op& op, Device, TensorRefs, std::span<const Tensor>) override {
    count_ += op.name() == name_;
  }
  int count() const { return count_; }

 private:
  std::string name_;
  int count_ = 0;
};

}  // namespace

TEST(DataMovementGradient, OfSecondOrder) {
  const Tensor rows = {2, 0, 2}, cells = {{0, 1}, {2, 0}, {0, 1}};
  const Tensor batched = {{1, 1}, {0, 2}, {2, 2}};
  compare_second([](const Tensor& x) { return transpose(x, {2, 0, 1}); }, {2, 3, 4});
  compare_second([](const Tensor& x) { return concat({x, ones({2, 1}, float64), x}, 1); }, {2, 3});
  compare_second([](const Tensor& x) { return stack({x, ones({3}, float64), x}, 1); }, {3});
  compare_second([](const Tensor& x) { return split(x, {1, 3, 2})[1]; }, {6, 2});
  compare_second([](const Tensor& x) { return unstack(x, 1)[2]; }, {2, 3});
  compare_second([](const Tensor& x) { return slice(x, {1, 0}, {2, 2}); }, {4, 3});
  compare_second([](const Tensor& x) { return at(x, {{-1, 0, -2}, kNewAxis, 1}); }, {6, 2});
  compare_second([&](const Tensor& x) { return gather(x, rows); }, {3, 2});
  compare_second([&](const Tensor& x) { return gather(x, rows, {.axis = 1}); }, {2, 3, 2});
  compare_second([&](const Tensor& x) { return gather(x, batched, {.axis = 2, .batch_dims = 1}); },
                 {3, 2, 3, 2});
  compare_second([&](const Tensor& x) { return gather_nd(x, cells); }, {3, 2, 2});
  compare_second([&](const Tensor& x) { return gather_nd(x, cells, {.batch_dims = 1}); },
                 {3, 3, 2, 2});
  compare_second([&](const Tensor& x) { return scatter_nd(cells, x, {3, 2, 2}); }, {3, 2});
  compare_second([](const Tensor& x) { return tile(x, {2, 3}); }, {2, 2});
  compare_second([](const Tensor& x) { return broadcast_to(x, {2, 3, 2}); }, {3, 1});
  compare_second([](const Tensor& x) { return pad(x, {{1, 0}, {2, 1}}); }, {2, 2});
  for (const PadMode mode : {PadMode::kReflect, PadMode::kSymmetric})
    compare_second([&](const Tensor& x) { return pad(x, {{1, 2}, {0, 1}}, {.mode = mode}); },
                   {3, 2});
  compare_second([](const Tensor& x) { return reverse(x, 1); }, {2, 3});
  compare_second([](const Tensor& x) { return roll(x, {1, -2}, {0, 1}); }, {3, 4});
}

TEST(DataMovementGradient, AddsUpRowsThatAreGatheredTwice) {
  const Variable table(zeros({4, 2}));
  GradientTape tape;
  const Tensor y = gather(table, {{3, 0}, {3, 3}});
  const Tensor weights = reshape(Tensor{1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f}, {2, 2, 2});
  expect_equal(tape.gradient(y, table, {.output_gradients = weights}),
               {{4, 2}, {3, 4, 0, 0, 0, 0, 13, 16}}, float32);
}

TEST(DataMovementGradient, OfAnOutputThatIsUsedAlone) {
  const Variable x(Tensor{1.f, 2.f, 3.f});
  GradientTape tape;
  const Tensor last = unstack(x)[2];
  expect_equal(tape.gradient(last, x), {{3}, {0, 0, 1}}, float32);
}

TEST(DataMovementGradient, CutsOutOnlyWhatIsAskedFor) {
  const Variable a(Tensor{1.f, 2.f});
  const Tensor b = {3.f, 4.f, 5.f};
  GradientTape tape;
  const Tensor y = concat({b, a, b}, 0);
  const Counter slices("slice"), splits("split");
  EXPECT_EQ(tape.gradient(y, a).shape(), (Shape{2}));
  EXPECT_EQ(slices.count(), 1);
  EXPECT_EQ(splits.count(), 0);
}

TEST(DataMovementGradient, IsNoneOfWhatIsMade) {
  const Variable x(Tensor{1.f, 2.f});
  GradientTape tape({.persistent = true});
  EXPECT_FALSE(tape.gradient(ones_like(x), x).defined());
  EXPECT_FALSE(tape.gradient(zeros_like(x), x).defined());
  EXPECT_FALSE(tape.gradient(stop_gradient(x), x).defined());
}

TEST(DataMovementGradient, DoesNotPassAStop) {
  const Variable x(Tensor{{1.f, 2.f}, {3.f, 4.f}});
  GradientTape tape;
  const Tensor y = matmul(x, stop_gradient(x));
  expect_equal(tape.gradient(y, x), {{2, 2}, {3, 7, 3, 7}}, float32);
}
