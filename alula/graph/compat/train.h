#pragma once
#include "alula/graph/compat/gradients.h"

/// What makes a graph's variables better, step by step, as operations to be run.
namespace alula::compat::v1::train {

struct MinimizeOptions {
  std::vector<Variable> var_list = {};  // all trainable variables of the default graph
};

using GradientAndVariable = std::pair<Tensor, Variable>;

/// What the optimizers have in common.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// The operation that makes a step: gradients of the loss, and an update of each variable.
  ///   Operation step = GradientDescentOptimizer(0.1).minimize(loss);
  Operation minimize(const Tensor& loss, const MinimizeOptions& options = {});
  /// Its two halves. A gradient that is undefined leaves its variable alone.
  std::vector<GradientAndVariable> compute_gradients(const Tensor& loss,
                                                     const MinimizeOptions& options = {});
  virtual Operation apply_gradients(const std::vector<GradientAndVariable>& gradients) = 0;
};

/// variable -= learning_rate * gradient
class GradientDescentOptimizer final : public Optimizer {
 public:
  explicit GradientDescentOptimizer(double learning_rate) : learning_rate_(learning_rate) {}
  Operation apply_gradients(const std::vector<GradientAndVariable>& gradients) override;

 private:
  double learning_rate_;
};

struct AdamOptions {
  double learning_rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

/// Adam (Kingma and Ba, "Adam: a method for stochastic optimization"). Its averages are variables
/// of the graph: run global_variables_initializer() after it was made.
class AdamOptimizer final : public Optimizer {
 public:
  explicit AdamOptimizer(const AdamOptions& options = {}) : options_(options) {}
  Operation apply_gradients(const std::vector<GradientAndVariable>& gradients) override;

 private:
  AdamOptions options_;
};

}  // namespace alula::compat::v1::train
