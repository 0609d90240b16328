#include "alula/keras/activations.h"

#include <algorithm>

#include "alula/keras/logits.h"
#include "alula/keras/words.h"
#include "alula/ops/all.h"

namespace alula::keras {

namespace activations {

Tensor linear(const Tensor& x) { return x; }

Tensor relu(const Tensor& x, const ReluOptions& options) {
  const double slope = options.negative_slope, threshold = options.threshold;
  const bool bounded = options.max_value.given();
  if (threshold == 0 && !bounded) return slope == 0 ? alula::relu(x) : alula::leaky_relu(x, slope);
  if (threshold == 0 && slope == 0 && options.max_value.value() == 6) return alula::relu6(x);
  const Tensor above =
      bounded ? clip(x, std::min(0.0, options.max_value.value()), options.max_value.value()) : x;
  const Tensor upper = where(x > threshold, above, x * 0);
  return slope == 0 ? upper : upper - alula::relu(threshold - x) * slope;
}

Tensor relu6(const Tensor& x) { return alula::relu6(x); }
Tensor leaky_relu(const Tensor& x, double slope) { return alula::leaky_relu(x, slope); }
Tensor elu(const Tensor& x, double alpha) { return alula::elu(x, alpha); }
Tensor selu(const Tensor& x) { return alula::selu(x); }

/// As a sum of two halves, both of which have a slope at 0: the gradient there is 2, as in Keras.
Tensor celu(const Tensor& x, double alpha) {
  return maximum(x, 0) + expm1(minimum(x, 0) / alpha) * alpha;
}

Tensor gelu(const Tensor& x, const GeluOptions& options) { return alula::gelu(x, options); }
Tensor silu(const Tensor& x) { return alula::silu(x); }

Tensor softmax(const Tensor& x, int64_t axis) {
  require(x.rank() > 1, "softmax: takes at least 2 dimensions, batch included. Got {}.", x.spec());
  return remember_logits(alula::softmax(x, {.axis = axis}), x, Squashed::kSoftmax);
}

Tensor log_softmax(const Tensor& x, int64_t axis) { return alula::log_softmax(x, {.axis = axis}); }
Tensor softplus(const Tensor& x) { return alula::softplus(x); }
Tensor softsign(const Tensor& x) { return alula::softsign(x); }

Tensor soft_shrink(const Tensor& x, double threshold) {
  return where(x > threshold, x - threshold, where(x < -threshold, x + threshold, x * 0));
}

Tensor hard_shrink(const Tensor& x, double threshold) {
  return where(abs(x) > threshold, x, x * 0);
}

Tensor squareplus(const Tensor& x, double b) { return (x + sqrt(square(x) + b)) * 0.5; }

Tensor sparse_plus(const Tensor& x) {
  return where(x <= -1, x * 0, where(x < 1, square(x + 1) * 0.25, x));
}

/// Which elements are left is found by sorting: those above a threshold that makes the sum 1.
/// (Keras 3.15 takes another threshold where more than one is left, and its results do not add up
/// to 1.)
Tensor sparsemax(const Tensor& x, int64_t axis) {
  const int along = normalize_axis("sparsemax", axis, x.rank());
  const Tensor fixed = stop_gradient(x);
  const Tensor sorted = sort(fixed, {.axis = axis, .direction = SortDirection::kDescending});
  const Tensor sums = cumsum(sorted, {.axis = axis});
  const Tensor places = cumsum(ones_like(fixed), {.axis = axis});
  const ReduceOptions options{.axis = along, .keepdims = true};
  const Tensor inside = cast(sorted * places + 1 > sums, x.dtype());
  const Tensor count = reduce_sum(inside, options);
  const Tensor cut = (reduce_sum(sorted * inside, options) - 1) / count;
  const Tensor left = fixed > cut;
  const Tensor threshold = (reduce_sum(where(left, x, x * 0), options) - 1) / count;
  return where(left, x - threshold, x * 0);
}

/// The gradient is 0 where the bends are.
Tensor sparse_sigmoid(const Tensor& x) {
  return where(x <= -1, x * 0, where(x >= 1, x * 0 + 1, (x + 1) * 0.5));
}

Tensor tanh(const Tensor& x) { return alula::tanh(x); }
Tensor tanh_shrink(const Tensor& x) { return x - alula::tanh(x); }
Tensor hard_tanh(const Tensor& x) { return clip(x, -1, 1); }

Tensor sigmoid(const Tensor& x) {
  return remember_logits(alula::sigmoid(x), x, Squashed::kSigmoid);
}

Tensor log_sigmoid(const Tensor& x) { return alula::log_sigmoid(x); }
Tensor hard_sigmoid(const Tensor& x) { return alula::hard_sigmoid(x); }
Tensor hard_silu(const Tensor& x) { return x * alula::hard_sigmoid(x); }
Tensor exponential(const Tensor& x) { return exp(x); }
Tensor mish(const Tensor& x) { return alula::mish(x); }

Tensor glu(const Tensor& x, int64_t axis) {
  const Tensors halves = split(x, 2, axis);
  return halves[0] * alula::sigmoid(halves[1]);
}

Tensor threshold(const Tensor& x, double threshold, double default_value) {
  return where(x > threshold, x, x * 0 + default_value);
}

}  // namespace activations

namespace {

constexpr Word<Tensor (*)(const Tensor&)> kWords[] = {
    {"celu", [](const Tensor& x) { return activations::celu(x); }},
    {"elu", [](const Tensor& x) { return activations::elu(x); }},
    {"exponential", [](const Tensor& x) { return activations::exponential(x); }},
    {"gelu", [](const Tensor& x) { return activations::gelu(x); }},
    {"glu", [](const Tensor& x) { return activations::glu(x); }},
    {"hard_shrink", [](const Tensor& x) { return activations::hard_shrink(x); }},
    {"hard_sigmoid", [](const Tensor& x) { return activations::hard_sigmoid(x); }},
    {"hard_silu", [](const Tensor& x) { return activations::hard_silu(x); }},
    {"hard_swish", [](const Tensor& x) { return activations::hard_silu(x); }},
    {"hard_tanh", [](const Tensor& x) { return activations::hard_tanh(x); }},
    {"leaky_relu", [](const Tensor& x) { return activations::leaky_relu(x); }},
    {"log_sigmoid", [](const Tensor& x) { return activations::log_sigmoid(x); }},
    {"log_softmax", [](const Tensor& x) { return activations::log_softmax(x); }},
    {"mish", [](const Tensor& x) { return activations::mish(x); }},
    {"relu", [](const Tensor& x) { return activations::relu(x); }},
    {"relu6", [](const Tensor& x) { return activations::relu6(x); }},
    {"selu", [](const Tensor& x) { return activations::selu(x); }},
    {"sigmoid", [](const Tensor& x) { return activations::sigmoid(x); }},
    {"silu", [](const Tensor& x) { return activations::silu(x); }},
    {"soft_shrink", [](const Tensor& x) { return activations::soft_shrink(x); }},
    {"softmax", [](const Tensor& x) { return activations::softmax(x); }},
    {"softplus", [](const Tensor& x) { return activations::softplus(x); }},
    {"softsign", [](const Tensor& x) { return activations::softsign(x); }},
    {"sparse_plus", [](const Tensor& x) { return activations::sparse_plus(x); }},
    {"sparse_sigmoid", [](const Tensor& x) { return activations::sparse_sigmoid(x); }},
    {"sparsemax", [](const Tensor& x) { return activations::sparsemax(x); }},
    {"squareplus", [](const Tensor& x) { return activations::squareplus(x); }},
    {"swish", [](const Tensor& x) { return activations::silu(x); }},
    {"tanh", [](const Tensor& x) { return activations::tanh(x); }},
    {"tanh_shrink", [](const Tensor& x) { return activations::tanh_shrink(x); }},
    {"linear", nullptr},
};

}  // namespace

Activation::Activation(const std::string& word) : name_(word) {
  if (Tensor(*function)(const Tensor&) = look_up("activation", word, kWords)) function_ = function;
}

}  // namespace alula::keras
