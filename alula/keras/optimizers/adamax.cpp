#include "alula/keras/optimizers/adamax.h"

#include <cmath>

#include "alula/ops/operators.h"
#include "alula/ops/pow.h"

namespace alula::keras::optimizers {

AdamaxImpl::AdamaxImpl(const Options& options)
    : OptimizerImpl("Adamax", common_options(options)), options_(options) {
  require(options.beta_1 >= 0 && options.beta_1 < 1, "{}: beta_1 must be in [0, 1). Got {}.",
          name(), options.beta_1);
  require(options.beta_2 >= 0 && options.beta_2 < 1, "{}: beta_2 must be in [0, 1). Got {}.",
          name(), options.beta_2);
}

std::vector<OptimizerImpl::Slot> AdamaxImpl::slots() const { return {{"momentum"}, {"norm"}}; }

StepScalars AdamaxImpl::scalars(const StepNumbers& step) {
  return in_precision_of(step, [&](auto zero) -> StepScalars {
    using T = decltype(zero);
    const T power = std::pow(static_cast<T>(options_.beta_1), static_cast<T>(step.step));
    return {static_cast<T>(step.rate) / (1 - power)};
  });
}

std::vector<Tensor> AdamaxImpl::scalars_later(const Tensor& step, const Tensor& rate) const {
  return {rate / (1 - pow(Tensor(Number(options_.beta_1), step.dtype()), step))};
}

void AdamaxImpl::rule(ElementUpdate& u) const {
  const Scalar g = u.gradient();
  const Scalar m = u.slot(0) + (g - u.slot(0)) * u.constant(1 - options_.beta_1);
  const Scalar norm = max(u.constant(options_.beta_2) * u.slot(1), abs(g));
  u.set_slot(0, m);
  u.set_slot(1, norm);
  u.set_value(u.value() - u.scalar(0) * m / (norm + u.constant(options_.epsilon)));
}

}  // namespace alula::keras::optimizers
