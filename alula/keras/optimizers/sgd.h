#pragma once
#include "alula/keras/optimizers/optimizer.h"

namespace alula::keras::optimizers {

class SGDImpl final : public OptimizerImpl {
 public:
  struct Options {
    LearningRate learning_rate = 0.01;
    double momentum = 0.0;
    bool nesterov = false;
    Setting<double> weight_decay = {};
    Setting<double> clipnorm = {};
    Setting<double> clipvalue = {};
    Setting<double> global_clipnorm = {};
    bool use_ema = false;
    double ema_momentum = 0.99;
    Setting<int64_t> ema_overwrite_frequency = {};
    Setting<double> loss_scale_factor = {};
    Setting<int64_t> gradient_accumulation_steps = {};
    Setting<std::string> name = {};
  };
  explicit SGDImpl(const Options& options);
  std::vector<Slot> slots() const override;
  void rule(ElementUpdate& u) const override;

 private:
  Options options_;
};
/// Gradient descent: w -= rate * g; with momentum, v = momentum * v - rate * g and w += v
/// (nesterov: w += momentum * v - rate * g).
///   SGD({.learning_rate = 0.1, .momentum = 0.9})
using SGD = OptimizerOf<SGDImpl>;

}  // namespace alula::keras::optimizers
