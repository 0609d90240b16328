#pragma once
#include "alula/keras/optimizers/optimizer.h"

namespace alula::keras::optimizers {

class AdamImpl final : public OptimizerImpl {
 public:
  struct Options {
    LearningRate learning_rate = 0.001;
    double beta_1 = 0.9;
    double beta_2 = 0.999;
    double epsilon = 1e-7;
    bool amsgrad = false;
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
  explicit AdamImpl(const Options& options);
  std::vector<Slot> slots() const override;
  StepScalars scalars(const StepNumbers& step) override;
  std::vector<Tensor> scalars_later(const Tensor& step, const Tensor& rate) const override;
  void rule(ElementUpdate& u) const override;

 private:
  Options options_;
};
/// Moving averages of the gradient and of its square, corrected for their start at 0.
///   Adam({.learning_rate = 0.01})
using Adam = OptimizerOf<AdamImpl>;

}  // namespace alula::keras::optimizers
