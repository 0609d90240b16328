#include "alula/keras/activations.h"

#include "alula/keras/logits.h"
#include "alula/ops/operators.h"
#include "alula/ops/relu.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(Activations, Words) {
  const Tensor x = random_tensor({float32, {3, 4}});
  EXPECT_TRUE(Activation()(x).same_as(x));
  EXPECT_TRUE(Activation("linear")(x).same_as(x));
  EXPECT_TRUE(Activation("linear").is_linear());
  EXPECT_EQ(Activation("relu").name(), "relu");
  for (const auto& [alias, word] :
       {std::pair("swish", "silu"), std::pair("hard_swish", "hard_silu")})
    expect_equal(Activation(alias)(x), to_array(Activation(word)(x)), float32);
  EXPECT_ERROR(Activation("sotfmax"), InvalidArgumentError,
               "activation: there is no \"sotfmax\". Did you mean \"softmax\"");
}

TEST(Activations, TakeFunctionsAndOps) {
  const Tensor x = {{-1.F, 2.F}};
  expect_equal(Activation(relu)(x), {{1, 2}, {0, 2}}, float32);
  expect_equal(Activation([](const Tensor& t) { return t * 3; })(x), {{1, 2}, {-3, 6}}, float32);
  EXPECT_FALSE(Activation(relu).is_linear());
}

TEST(Activations, ThresholdGivesTheDefault) {
  expect_equal(activations::threshold({-1.F, 1.F, 2.F}, 1, 9), {{3}, {9, 9, 2}}, float32);
}

TEST(Activations, SparsemaxIsADistribution) {
  const Tensor x = {{1.F, 0.5F, -4.F}, {10.F, 0.F, 0.F}};
  expect_equal(activations::sparsemax(x), {{2, 3}, {0.75, 0.25, 0, 1, 0, 0}}, float32);
  expect_equal(activations::sparsemax(x, 0), {{2, 3}, {0, 0.75, 0, 1, 0.25, 1}}, float32);
}

TEST(Activations, RememberTheirLogits) {
  const Tensor x = random_tensor({float32, {2, 3}});
  EXPECT_TRUE(logits_behind(Activation("softmax")(x), Squashed::kSoftmax).same_as(x));
  EXPECT_TRUE(logits_behind(Activation("sigmoid")(x), Squashed::kSigmoid).same_as(x));
  EXPECT_FALSE(logits_behind(Activation("tanh")(x), Squashed::kSigmoid).defined());
  EXPECT_ERROR(activations::softmax({1.F, 2.F}), InvalidArgumentError,
               "softmax: takes at least 2 dimensions, batch included. Got float32[2].");
}
