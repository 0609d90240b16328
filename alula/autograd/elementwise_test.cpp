#include "alula/ops/elementwise.h"

#include "alula/autograd/tape.h"
#include "alula/ops/abs.h"
#include "alula/ops/add.h"
#include "alula/ops/cast.h"
#include "alula/ops/clip.h"
#include "alula/ops/exp.h"
#include "alula/ops/fill.h"
#include "alula/ops/floor.h"
#include "alula/ops/hard_sigmoid.h"
#include "alula/ops/leaky_relu.h"
#include "alula/ops/maximum.h"
#include "alula/ops/minimum.h"
#include "alula/ops/mul.h"
#include "alula/ops/pow.h"
#include "alula/ops/relu.h"
#include "alula/ops/relu6.h"
#include "alula/ops/sign.h"
#include "alula/ops/square.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

using Numbers = std::vector<float>;

/// The gradient of f's sum, and what was run to get it.
struct Result {
  std::vector<Tensor> gradients;
  std::vector<std::string> ran;
};

class Names final : public Listener {
 public:
  std::vector<std::string> names;
  void ran(const Op& op, Device, TensorRefs, std::span<const Tensor>) override {
    names.emplace_back(op.name());
  }
};

Result differentiate(const Function& f, const std::vector<Tensor>& inputs) {
  GradientTape tape;
  for (const Tensor& input : inputs) tape.watch(input);
  const Tensor y = f(inputs);
  const Tensor dy = ones_like(y);
  Names names;
  Result result{.gradients = tape.gradient(y, inputs, {.output_gradients = dy})};
  result.ran = names.names;
  return result;
}

Numbers gradient(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  return differentiate([&](const auto& in) { return f(in[0]); }, {x})
      .gradients[0]
      .to_vector<float>();
}

std::vector<Numbers> gradients(const Elementwise& f, const Tensor& a, const Tensor& b) {
  const Result result = differentiate([&](const auto& in) { return f(in[0], in[1]); }, {a, b});
  return {result.gradients[0].to_vector<float>(), result.gradients[1].to_vector<float>()};
}

Needs needs_of(const Elementwise& f, IndexSet wanted = IndexSet::all()) {
  return ElementwiseOp(f.program(float32)).needs(wanted);
}

}  // namespace

TEST(ElementwiseGradient, FollowsTensorFlowAtKinks) {
  EXPECT_EQ(gradient(std::ref(relu), {-1.f, 0.f, 2.f}), (Numbers{0, 0, 1}));
  EXPECT_EQ(gradient(std::ref(relu6), {0.f, 3.f, 6.f, 7.f}), (Numbers{0, 1, 0, 0}));
  EXPECT_EQ(gradient(std::ref(alula::abs), {-2.f, 0.f, 2.f}), (Numbers{-1, 0, 1}));
  EXPECT_EQ(gradient(std::ref(sign), {-2.f, 0.f, 2.f}), (Numbers{0, 0, 0}));
  EXPECT_EQ(gradient([](const Tensor& x) { return leaky_relu(x, 0.5); }, {-1.f, 0.f, 1.f}),
            (Numbers{0.5, 0.5, 1}));
  EXPECT_EQ(gradient([](const Tensor& x) { return clip(x, -1, 1); }, {-2.f, -1.f, 0.f, 1.f, 2.f}),
            (Numbers{0, 1, 1, 1, 0}));
  EXPECT_EQ(gradients(maximum, {1.f, 2.f, 3.f}, {2.f, 2.f, 2.f}),
            (std::vector<Numbers>{{0, 1, 1}, {1, 0, 0}}));
  EXPECT_EQ(gradients(minimum, {1.f, 2.f, 3.f}, {2.f, 2.f, 2.f}),
            (std::vector<Numbers>{{1, 1, 0}, {0, 0, 1}}));
  EXPECT_EQ(gradients(alula::pow, {-3.f, 0.f}, {2.f, 2.f}),
            (std::vector<Numbers>{{-6, 0}, {0, 0}}));
}

TEST(ElementwiseGradient, SumsWhatWasBroadcast) {
  EXPECT_EQ(gradients(mul, {{1.f, 2.f}, {3.f, 4.f}}, {10.f, 20.f}),
            (std::vector<Numbers>{{10, 20, 10, 20}, {4, 6}}));
  const Result result = differentiate([](const auto& in) { return add(in[0], in[1]); },
                                      {Tensor{{1.f, 2.f}, {3.f, 4.f}}, Tensor(5.f)});
  EXPECT_EQ(to_string(result.gradients[1].shape()), "[]");
  EXPECT_EQ(result.gradients[1].item<float>(), 4);
}

TEST(ElementwiseGradient, RunsNothingWhereItIsDyItself) {
  const Result result = differentiate([](const auto& in) { return add(in[0], in[1]); },
                                      {Tensor{1.f, 2.f}, Tensor{3.f, 4.f}});
  EXPECT_TRUE(result.ran.empty());
  EXPECT_TRUE(result.gradients[0].same_as(result.gradients[1]));
}

TEST(ElementwiseGradient, IsOneCallForAllInputs) {
  const Result result = differentiate([](const auto& in) { return mul(in[0], in[1]); },
                                      {Tensor{1.f, 2.f}, Tensor{3.f, 4.f}});
  EXPECT_EQ(result.ran, std::vector<std::string>{"mul_gradient"});
}

TEST(ElementwiseGradient, IsNothingWhereThereIsNone) {
  const Result result =
      differentiate([](const auto& in) { return alula::floor(in[0]); }, {Tensor{1.5f}});
  EXPECT_FALSE(result.gradients[0].defined());
}

TEST(ElementwiseGradient, KeepsOnlyWhatItReads) {
  EXPECT_EQ(needs_of(alula::exp).inputs, IndexSet());
  EXPECT_EQ(needs_of(alula::exp).outputs, IndexSet({0}));
  EXPECT_EQ(needs_of(relu).inputs, IndexSet());
  EXPECT_EQ(needs_of(relu).outputs, IndexSet({0}));
  EXPECT_EQ(needs_of(square).inputs, IndexSet({0}));
  EXPECT_EQ(needs_of(square).outputs, IndexSet());
  EXPECT_EQ(needs_of(add).inputs, IndexSet());
  EXPECT_EQ(needs_of(add).outputs, IndexSet());
  EXPECT_EQ(needs_of(mul).inputs, IndexSet({0, 1}));
  EXPECT_EQ(needs_of(mul, {0}).inputs, IndexSet({1}));
  EXPECT_EQ(needs_of(hard_sigmoid).outputs, IndexSet());
  EXPECT_EQ(needs_of(alula::floor).inputs, IndexSet());
}

TEST(ElementwiseGradient, OfACastIsCastBack) {
  const Result wider =
      differentiate([](const auto& in) { return square(cast(in[0], float64)); }, {Tensor{3.f}});
  EXPECT_EQ(wider.gradients[0].item<float>(), 6);
  const Result rounded = differentiate(
      [](const auto& in) { return cast(cast(in[0], int32), float32); }, {Tensor{1.5f}});
  EXPECT_FALSE(rounded.gradients[0].defined());
}
