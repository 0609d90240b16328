#pragma once
#include "alula/keras/optimizers/optimizer.h"

namespace alula::keras::optimizers {

class NadamImpl final : public OptimizerImpl {
 public:
  struct Options {
    LearningRate learning_rate = 0.001;
    double beta_1 = 0.9;
    double beta_2 = 0.999;
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
  explicit NadamImpl(const Options& options);
  std::vector<Slot> slots() const override;
  StepScalars scalars(const StepNumbers& step) override;
  void rule(ElementUpdate& u) const override;
  StepScalars own_after(const StepNumbers& step) const override;

 private:
  void build_own() override;
  double momentum_at(int64_t step) const;

  Variable product_;  // of the momentums of all steps so far
  Options options_;
};
/// Adam with Nesterov's look ahead.
///   Nadam({.learning_rate = 0.01})
using Nadam = OptimizerOf<NadamImpl>;

}  // namespace alula::keras::optimizers
