#pragma once
#include <functional>
#include <string>

#include "alula/core/tensor.h"

namespace alula::keras {

/// A penalty on a weight, added to the loss: from Keras's words ("l2"), from an object
/// (regularizers::L2(1e-4)) or from a function that gives a scalar. None by default.
class Regularizer {
 public:
  using Function = std::function<Tensor(const Tensor&)>;

  Regularizer() = default;
  Regularizer(const char* word) : Regularizer(std::string(word)) {}
  Regularizer(const std::string& word);
  template <class F>
    requires std::is_invocable_r_v<Tensor, F, const Tensor&>
  Regularizer(F function) : function_(std::move(function)) {}

  bool given() const { return static_cast<bool>(function_); }
  Tensor operator()(const Tensor& weight) const { return function_(weight); }

 private:
  Function function_;
};

namespace regularizers {

/// l1 * sum(|w|)
Regularizer L1(double l1 = 0.01);
/// l2 * sum(w * w)
Regularizer L2(double l2 = 0.01);
Regularizer L1L2(double l1 = 0, double l2 = 0);

}  // namespace regularizers
}  // namespace alula::keras
