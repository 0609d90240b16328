#include "alula/keras/optimizers/adamw.h"

#include "alula/keras/optimizers/adam_rule.h"

namespace alula::keras::optimizers {

AdamWImpl::AdamWImpl(const Options& options)
    : OptimizerImpl("AdamW", common_options(options)), options_(options) {
  require(options.beta_1 >= 0 && options.beta_1 < 1, "{}: beta_1 must be in [0, 1). Got {}.",
          name(), options.beta_1);
  require(options.beta_2 >= 0 && options.beta_2 < 1, "{}: beta_2 must be in [0, 1). Got {}.",
          name(), options.beta_2);
}

std::vector<OptimizerImpl::Slot> AdamWImpl::slots() const { return adam_slots(options_.amsgrad); }

StepScalars AdamWImpl::scalars(const StepNumbers& step) {
  return adam_scalars(step, {options_.beta_1, options_.beta_2, options_.epsilon, options_.amsgrad});
}

std::vector<Tensor> AdamWImpl::scalars_later(const Tensor& step, const Tensor& rate) const {
  return {adam_rate_later(step, rate,
                          {options_.beta_1, options_.beta_2, options_.epsilon, options_.amsgrad})};
}

void AdamWImpl::rule(ElementUpdate& u) const {
  adam_rule(u, {options_.beta_1, options_.beta_2, options_.epsilon, options_.amsgrad});
}

}  // namespace alula::keras::optimizers
