#include "alula/keras/activations.h"

#include "alula/keras/logits.h"
#include "alula/keras/words.h"
#include "alula/ops/all.h"

namespace alula::keras {

namespace activations {

Tensor linear(const Tensor& x) { return x; }

Tensor softmax(const Tensor& x, int64_t axis) {
  require(x.rank() > 1, "softmax: takes at least 2 dimensions, batch included. Got {}.", x.spec());
  return remember_logits(alula::softmax(x, {.axis = axis}), x, Squashed::kSoftmax);
}

Tensor sigmoid(const Tensor& x) {
  return remember_logits(alula::sigmoid(x), x, Squashed::kSigmoid);
}

}  // namespace activations

namespace {

constexpr Word<Tensor (*)(const Tensor&)> kWords[] = {
    {"elu", [](const Tensor& x) { return elu(x); }},
    {"exponential", [](const Tensor& x) { return exp(x); }},
    {"gelu", [](const Tensor& x) { return gelu(x); }},
    {"hard_sigmoid", [](const Tensor& x) { return hard_sigmoid(x); }},
    {"hard_silu", [](const Tensor& x) { return x * hard_sigmoid(x); }},
    {"hard_swish", [](const Tensor& x) { return x * hard_sigmoid(x); }},
    {"leaky_relu", [](const Tensor& x) { return leaky_relu(x, 0.2); }},
    {"log_sigmoid", [](const Tensor& x) { return log_sigmoid(x); }},
    {"log_softmax", [](const Tensor& x) { return log_softmax(x); }},
    {"mish", [](const Tensor& x) { return mish(x); }},
    {"relu", [](const Tensor& x) { return relu(x); }},
    {"relu6", [](const Tensor& x) { return relu6(x); }},
    {"selu", [](const Tensor& x) { return selu(x); }},
    {"sigmoid", [](const Tensor& x) { return activations::sigmoid(x); }},
    {"silu", [](const Tensor& x) { return silu(x); }},
    {"softmax", [](const Tensor& x) { return activations::softmax(x); }},
    {"softplus", [](const Tensor& x) { return softplus(x); }},
    {"softsign", [](const Tensor& x) { return softsign(x); }},
    {"swish", [](const Tensor& x) { return silu(x); }},
    {"tanh", [](const Tensor& x) { return tanh(x); }},
    {"linear", nullptr},
};

}  // namespace

Activation::Activation(const std::string& word) : name_(word) {
  if (Tensor(*function)(const Tensor&) = look_up("activation", word, kWords)) function_ = function;
}

}  // namespace alula::keras
