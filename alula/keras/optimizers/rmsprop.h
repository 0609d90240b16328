#pragma once
#include "alula/keras/optimizers/optimizer.h"

namespace alula::keras::optimizers {

class RMSpropImpl final : public OptimizerImpl {
 public:
  struct Options {
    LearningRate learning_rate = 0.001;
    double rho = 0.9;
    double momentum = 0.0;
    double epsilon = 1e-7;
    bool centered = false;
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
  explicit RMSpropImpl(const Options& options);
  std::vector<Slot> slots() const override;
  void rule(ElementUpdate& u) const override;

 private:
  Options options_;
};
/// Divides a gradient by the root of a moving average of its square (centered: of its variance).
///   RMSprop({.rho = 0.95, .momentum = 0.9})
using RMSprop = OptimizerOf<RMSpropImpl>;

}  // namespace alula::keras::optimizers
