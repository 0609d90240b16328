#include "alula/keras/optimizers/nadam.h"

#include <cmath>

namespace alula::keras::optimizers {

NadamImpl::NadamImpl(const Options& options)
    : OptimizerImpl("Nadam", common_options(options)), options_(options) {
  require(options.beta_1 >= 0 && options.beta_1 < 1, "{}: beta_1 must be in [0, 1). Got {}.",
          name(), options.beta_1);
  require(options.beta_2 >= 0 && options.beta_2 < 1, "{}: beta_2 must be in [0, 1). Got {}.",
          name(), options.beta_2);
}

std::vector<OptimizerImpl::Slot> NadamImpl::slots() const { return {{"momentum"}, {"velocity"}}; }

void NadamImpl::build_own() { product_ = add_variable("u_product", 1); }

/// beta_1 as it is at a step: it grows with time.
double NadamImpl::momentum_at(int64_t step) const {
  return options_.beta_1 * (1 - 0.5 * std::pow(0.96, static_cast<double>(step)));
}

StepScalars NadamImpl::scalars(const StepNumbers& step) {
  const double now = momentum_at(step.step), next = momentum_at(step.step + 1);
  const double product = product_.value().item<float>() * now;
  const double second =
      1 - std::pow(static_cast<float>(options_.beta_2), static_cast<double>(step.step));
  return {step.rate, next / (1 - product * next), (1 - now) / (1 - product), second};
}

StepScalars NadamImpl::own_after(const StepNumbers& step) const {
  return {product_.value().item<float>() * momentum_at(step.step)};
}

void NadamImpl::rule(ElementUpdate& u) const {
  const Scalar g = u.gradient();
  const Scalar m = u.slot(0) + (g - u.slot(0)) * u.constant(1 - options_.beta_1);
  const Scalar v = u.slot(1) + (g * g - u.slot(1)) * u.constant(1 - options_.beta_2);
  u.set_slot(0, m);
  u.set_slot(1, v);
  const Scalar ahead = u.scalar(1) * m + u.scalar(2) * g;
  const Scalar size = sqrt(v / u.scalar(3)) + u.constant(options_.epsilon);
  u.set_value(u.value() - ahead * u.scalar(0) / size);
}

}  // namespace alula::keras::optimizers
