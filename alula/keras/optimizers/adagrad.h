#pragma once
#include "alula/keras/optimizers/optimizer.h"

namespace alula::keras::optimizers {

class AdagradImpl final : public OptimizerImpl {
 public:
  struct Options {
    LearningRate learning_rate = 0.001;
    double initial_accumulator_value = 0.1;
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
  explicit AdagradImpl(const Options& options);
  std::vector<Slot> slots() const override;
  void rule(ElementUpdate& u) const override;

 private:
  Options options_;
};
/// Divides a gradient by the root of the sum of its squares so far.
///   Adagrad({.learning_rate = 0.1})
using Adagrad = OptimizerOf<AdagradImpl>;

}  // namespace alula::keras::optimizers
