#pragma once
#include "alula/keras/optimizers/optimizer.h"

namespace alula::keras {
namespace optimizers {

struct LossScaleOptimizerOptions {
  Optimizer inner_optimizer = {};
  double initial_scale = 32768;         // 2^15
  int64_t dynamic_growth_steps = 2000;  // steps without overflow after which the scale doubles
  Setting<std::string> name = {};
};

class LossScaleOptimizerImpl final : public OptimizerImpl {
 public:
  using Options = LossScaleOptimizerOptions;
  explicit LossScaleOptimizerImpl(const Options& options);
  void rule(ElementUpdate&) const override {}

  void build(const std::vector<Variable>& variables) override;
  void apply(const std::vector<Tensor>& gradients, const std::vector<Variable>& variables) override;
  Tensor scale_loss(const Tensor& loss) const override;
  void exclude_from_weight_decay(const ExcludeOptions& options) override;
  void finalize_variable_values(const std::vector<Variable>& variables) override;
  double learning_rate() const override;
  void set_learning_rate(double rate) override;
  Variable iterations() const override;
  /// Its own, then those of the optimizer inside.
  std::vector<Variable> variables() const override;
  const OptimizerImpl& core() const override { return options.inner_optimizer.impl(); }

  /// What the loss is multiplied by: float32[].
  Variable dynamic_scale() const { return scale_; }
  /// The steps without overflow since the scale has changed: int64[].
  Variable step_counter() const { return counter_; }

  const Options options;

 private:
  OptimizerImpl& inner() const { return options.inner_optimizer.impl(); }
  void adjust(const Tensor& finite);

  Variable scale_, counter_;
};

/// Makes the small gradients of float16 large enough: the loss is multiplied by a scale, and the
/// gradients divided by it before the optimizer inside takes its step. If any is infinite or not a
/// number, the step is skipped and the scale halved; after `dynamic_growth_steps` good steps it is
/// doubled. `compile` puts one around the optimizer of a model whose policy is "mixed_float16".
///   LossScaleOptimizer optimizer({.inner_optimizer = "adam"});
///   Tensor scaled = optimizer.scale_loss(loss);
///   optimizer.apply(tape.gradient(scaled, variables), variables);
/// None of it looks at values, so that it can be part of a function.
class LossScaleOptimizer : public OptimizerOf<LossScaleOptimizerImpl> {
 public:
  using OptimizerOf::OptimizerOf;
  const LossScaleOptimizerImpl* operator->() const {
    return static_cast<const LossScaleOptimizerImpl*>(&impl());
  }
};

}  // namespace optimizers

namespace mixed_precision {
using optimizers::LossScaleOptimizer;
}

}  // namespace alula::keras
