#pragma once
#include "alula/keras/optimizers/optimizer.h"

namespace alula::keras::optimizers {

class AdadeltaImpl final : public OptimizerImpl {
 public:
  struct Options {
    LearningRate learning_rate = 0.001;
    double rho = 0.95;
    double epsilon = 1e-7;
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
  explicit AdadeltaImpl(const Options& options);
  std::vector<Slot> slots() const override;
  void rule(ElementUpdate& u) const override;

 private:
  Options options_;
};
/// Steps as large as those before, over gradients as large as those before.
///   Adadelta({.learning_rate = 1.0})
using Adadelta = OptimizerOf<AdadeltaImpl>;

}  // namespace alula::keras::optimizers
