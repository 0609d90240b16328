#pragma once
#include "alula/keras/optimizers/optimizer.h"

namespace alula::keras::optimizers {

class FtrlImpl final : public OptimizerImpl {
 public:
  struct Options {
    LearningRate learning_rate = 0.001;
    double learning_rate_power = -0.5;
    double initial_accumulator_value = 0.1;
    double l1_regularization_strength = 0.0;
    double l2_regularization_strength = 0.0;
    double l2_shrinkage_regularization_strength = 0.0;
    double beta = 0.0;
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
  explicit FtrlImpl(const Options& options);
  std::vector<Slot> slots() const override;
  void rule(ElementUpdate& u) const override;

 private:
  Options options_;
};
/// Follow the regularised leader: with l1 regularisation, many weights are exactly 0.
///   Ftrl({.learning_rate = 0.1, .l1_regularization_strength = 0.01})
using Ftrl = OptimizerOf<FtrlImpl>;

}  // namespace alula::keras::optimizers
