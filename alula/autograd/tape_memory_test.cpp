#include "alula/autograd/tape.h"
#include "alula/ops/add.h"
#include "alula/ops/exp.h"
#include "alula/ops/fill.h"
#include "alula/ops/matmul.h"
#include "alula/ops/mul.h"
#include "alula/ops/operators.h"
#include "alula/ops/reshape.h"
#include "alula/ops/transpose.h"
#include "alula/testing/harness.h"

/// What a tape holds, and what it spares.
using namespace alula;
using namespace alula::testing;

namespace {

/// Counts the ops that run, by name.
class Counter final : public Listener {
 public:
  void ran(const Op& op, Device, TensorRefs, std::span<const Tensor>) override {
    ++counts_[op.name()];
  }
  int operator[](const std::string& name) { return counts_[name]; }

 private:
  std::map<std::string, int> counts_;
};

const Shape kLarge = {256, 256};  // counted by memory::statistics()

}  // namespace

TEST(GradientTapeMemory, HoldsOnlyWhatGradientsRead) {
  const Variable x(ones(kLarge));
  GradientTape tape;
  const Tensor moved = transpose(x), sum = moved + moved, factor = sum * 2.f;
  const Tensor product = matmul(factor, factor);
  EXPECT_TRUE(moved.unique());
  EXPECT_TRUE(sum.unique());
  EXPECT_FALSE(factor.unique());
  EXPECT_TRUE(product.unique());
}

TEST(GradientTapeMemory, LetsGoWhenItIsUsedUp) {
  const Variable x(ones(kLarge));
  const int64_t before = memory::statistics().in_use;
  {
    GradientTape tape;
    Tensor y = x;
    for (int i = 0; i < 10; ++i) y = matmul(y, y);
    const int64_t bytes = y.bytes();
    EXPECT_GE(memory::statistics().in_use - before, 10 * bytes);
    const Tensor slope = tape.gradient(y, x, {.output_gradients = zeros(kLarge)});
    EXPECT_LE(memory::statistics().in_use - before, 4 * bytes);
  }
  EXPECT_EQ(memory::statistics().in_use, before);
}

TEST(GradientTapeMemory, RecordsNothingThatDependsOnNothing) {
  const Tensor a = ones(kLarge);
  GradientTape tape;
  const Tensor b = matmul(a, a), c = matmul(b, b);
  EXPECT_TRUE(b.unique());
  EXPECT_TRUE(a.unique());
}

TEST(GradientTapeMemory, ComputesNoGradientThatNobodyAskedFor) {
  const Variable a(ones({2, 2})), b(ones({2, 2}));
  GradientTape tape({.persistent = true});
  const Tensor left = matmul(a, a), y = matmul(left, b), apart = matmul(b, b);
  {
    const auto pause = tape.stop_recording();
    Counter counter;
    tape.gradient(y, b);
    EXPECT_EQ(counter["matmul"], 1);
  }
  {
    const auto pause = tape.stop_recording();
    Counter counter;
    tape.gradient(y, a);
    EXPECT_EQ(counter["matmul"], 3);
  }
  {
    const auto pause = tape.stop_recording();
    Counter counter;
    tape.gradient(y, {a, b});
    EXPECT_EQ(counter["matmul"], 4);
  }
}

TEST(GradientTapeMemory, KeepsTheValueThatAVariableHad) {
  for (const Shape& shape : {Shape{2, 2}, kLarge}) {
    Variable w(ones(shape));
    const Tensor x = ones(shape);
    GradientTape tape;
    tape.watch(x);
    const Tensor y = matmul(x, w);
    w.assign_add(ones(shape));
    w.assign_add(ones(shape));
    const auto expected = static_cast<float>(shape[0]);
    EXPECT_EQ(tape.gradient(y, x).to_vector<float>()[1], expected);
    EXPECT_EQ(w.value().to_vector<float>()[1], 3);
  }
}

TEST(GradientTapeMemory, WritesInPlaceWhatNoGradientReads) {
  Variable w(ones(kLarge));
  const void* place = w.storage().data();
  GradientTape tape;
  const Tensor y = transpose(w);
  w.assign_add(ones(kLarge));
  EXPECT_EQ(w.storage().data(), place);
  EXPECT_EQ(tape.gradient(y, w).to_vector<float>()[1], 1);
}
