#pragma once
#include <functional>
#include <string>

#include "alula/keras/setting.h"
#include "alula/ops/gelu.h"

namespace alula::keras {

/// A function from tensor to tensor: from Keras's words ("relu"), from an op (`relu`) or from any
/// function. None given, it is "linear", the tensor itself.
class Activation {
 public:
  using Function = std::function<Tensor(const Tensor&)>;

  Activation() = default;
  Activation(const char* word) : Activation(std::string(word)) {}
  Activation(const std::string& word);
  Activation(const Elementwise& op)
      : name_(op.name()), function_([&op](const Tensor& x) { return op(x); }) {}
  template <class F>
    requires std::is_invocable_r_v<Tensor, F, const Tensor&>
  Activation(F function) : name_("custom"), function_(std::move(function)) {}

  const std::string& name() const { return name_; }
  bool is_linear() const { return !function_; }
  Tensor operator()(const Tensor& x) const { return function_ ? function_(x) : x; }

 private:
  std::string name_ = "linear";
  Function function_;
};

/// The functions behind the words. Softmax and sigmoid remember what went in, so that a
/// cross-entropy after them can be computed stably.
namespace activations {

struct ReluOptions {
  double negative_slope = 0;
  Setting<double> max_value = {};  // without bound
  double threshold = 0;
};

Tensor linear(const Tensor& x);
/// x above the threshold, at most max_value, and negative_slope * (x - threshold) below it.
Tensor relu(const Tensor& x, const ReluOptions& options = {});
/// x, but at least 0 and at most 6.
Tensor relu6(const Tensor& x);
Tensor leaky_relu(const Tensor& x, double negative_slope = 0.2);
/// x above 0, else alpha * (exp(x) - 1).
Tensor elu(const Tensor& x, double alpha = 1);
Tensor selu(const Tensor& x);
/// x above 0, else alpha * (exp(x / alpha) - 1).
Tensor celu(const Tensor& x, double alpha = 1);
Tensor gelu(const Tensor& x, const GeluOptions& options = {});
/// x * sigmoid(x), also called swish.
Tensor silu(const Tensor& x);
Tensor softmax(const Tensor& x, int64_t axis = -1);
Tensor log_softmax(const Tensor& x, int64_t axis = -1);
Tensor softplus(const Tensor& x);
Tensor softsign(const Tensor& x);
/// x moved towards 0 by the threshold, and 0 where it would pass it.
Tensor soft_shrink(const Tensor& x, double threshold = 0.5);
/// x where it is further from 0 than the threshold, else 0.
Tensor hard_shrink(const Tensor& x, double threshold = 0.5);
/// (x + sqrt(x * x + b)) / 2
Tensor squareplus(const Tensor& x, double b = 4);
/// 0 below -1, x above 1, a parabola between.
Tensor sparse_plus(const Tensor& x);
/// The nearest distribution to x along an axis: a softmax with zeros in it.
Tensor sparsemax(const Tensor& x, int64_t axis = -1);
/// 0 below -1, 1 above 1, a line between.
Tensor sparse_sigmoid(const Tensor& x);
Tensor tanh(const Tensor& x);
/// x - tanh(x)
Tensor tanh_shrink(const Tensor& x);
/// x, but at least -1 and at most 1.
Tensor hard_tanh(const Tensor& x);
Tensor sigmoid(const Tensor& x);
Tensor log_sigmoid(const Tensor& x);
/// 0 below -3, 1 above 3, a line between.
Tensor hard_sigmoid(const Tensor& x);
/// x * hard_sigmoid(x), also called hard_swish.
Tensor hard_silu(const Tensor& x);
Tensor exponential(const Tensor& x);
/// x * tanh(softplus(x))
Tensor mish(const Tensor& x);
/// The first half along an axis, times the sigmoid of the second.
Tensor glu(const Tensor& x, int64_t axis = -1);
/// x above the threshold, else the default.
Tensor threshold(const Tensor& x, double threshold, double default_value);

}  // namespace activations
}  // namespace alula::keras
