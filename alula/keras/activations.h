#pragma once
#include <functional>
#include <string>

#include "alula/core/tensor.h"

namespace alula::keras {

/// A function from tensor to tensor: from Keras's words ("relu"), from an op (`relu`) or from any
/// function. None given, it is "linear", the tensor itself.
class Activation {
 public:
  using Function = std::function<Tensor(const Tensor&)>;

  Activation() = default;
  Activation(const char* word) : Activation(std::string(word)) {}
  Activation(const std::string& word);
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

Tensor linear(const Tensor& x);
Tensor softmax(const Tensor& x, int64_t axis = -1);
Tensor sigmoid(const Tensor& x);

}  // namespace activations
}  // namespace alula::keras
