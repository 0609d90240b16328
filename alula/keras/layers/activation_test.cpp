#include "alula/keras/layers/activation.h"

#include "alula/keras/logits.h"
#include "alula/ops/operators.h"
#include "alula/testing/layer_harness.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

TEST(ActivationLayers, AreLayers) {
  const auto check = [](const std::function<Layer()>& make, const std::string& name, DType dtype) {
    check_layer(make, {.inputs = {{dtype, {4, 5}}}, .output = {dtype, {4, 5}}, .name = name});
  };
  check([] { return layers::Activation({.activation = "tanh"}); }, "activation", float32);
  check([] { return layers::Activation({.activation = "relu"}); }, "activation", int32);
  check([] { return layers::Activation(); }, "activation", float32);
  check([] { return layers::ReLU(); }, "re_lu", float32);
  check([] { return layers::ReLU({.max_value = 1, .negative_slope = 0.5, .threshold = 0.25}); },
        "re_lu", float32);
  check([] { return layers::LeakyReLU(); }, "leaky_re_lu", float32);
  check([] { return layers::ELU({.alpha = 2}); }, "elu", float32);
  check([] { return layers::Softmax(); }, "softmax", float32);
}

TEST(ActivationLayers, TakeFunctions) {
  const layers::Activation layer({.activation = [](const Tensor& x) { return x + 1; }});
  expect_equal(layer({{1.F, 2.F}}), {{1, 2}, {2, 3}}, float32);
  expect_equal(layers::LeakyReLU()({{-1.F, 2.F}}), {{1, 2}, {-0.3, 2}}, float32);
}

TEST(ActivationLayers, SoftmaxRemembersItsLogits) {
  const Tensor x = random_tensor({float32, {2, 3}});
  EXPECT_TRUE(logits_behind(layers::Softmax()(x), Squashed::kSoftmax).same_as(x));
  EXPECT_TRUE(logits_behind(layers::Activation({.activation = "sigmoid"})(x), Squashed::kSigmoid)
                  .same_as(x));
}

TEST(ActivationLayers, SayWhatIsWrong) {
  EXPECT_ERROR(layers::ReLU({.max_value = -1}), InvalidArgumentError,
               "max_value cannot be negative");
  EXPECT_ERROR(layers::ReLU({.negative_slope = -1}), InvalidArgumentError,
               "negative_slope cannot be negative");
  EXPECT_ERROR(layers::ReLU({.threshold = -1}), InvalidArgumentError,
               "threshold cannot be negative");
  EXPECT_ERROR(layers::Softmax({.name = "s"})({1.F, 2.F}), InvalidArgumentError,
               "layer 's' (Softmax): softmax: takes at least 2 dimensions");
  EXPECT_ERROR(layers::Activation({.activation = "rellu"}), InvalidArgumentError,
               "activation: there is no \"rellu\". Did you mean \"relu\"");
}
