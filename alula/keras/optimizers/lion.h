#pragma once
#include "alula/keras/optimizers/optimizer.h"

namespace alula::keras::optimizers {

class LionImpl final : public OptimizerImpl {
 public:
  struct Options {
    LearningRate learning_rate = 0.001;
    double beta_1 = 0.9;
    double beta_2 = 0.99;
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
  explicit LionImpl(const Options& options);
  std::vector<Slot> slots() const override;
  void rule(ElementUpdate& u) const override;

 private:
  Options options_;
};
/// Steps of one size, by the sign of an average of gradients.
///   Lion({.learning_rate = 1e-4})
using Lion = OptimizerOf<LionImpl>;

}  // namespace alula::keras::optimizers
