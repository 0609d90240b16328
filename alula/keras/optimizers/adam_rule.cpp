#include "alula/keras/optimizers/adam_rule.h"

#include <cmath>

#include "alula/ops/operators.h"
#include "alula/ops/pow.h"
#include "alula/ops/sqrt.h"

namespace alula::keras::optimizers {

StepScalars adam_scalars(const StepNumbers& step, const AdamNumbers& adam) {
  return in_precision_of(step, [&](auto zero) -> StepScalars {
    using T = decltype(zero);
    const T t = static_cast<T>(step.step);
    const T first = 1 - std::pow(static_cast<T>(adam.beta_1), t);
    const T second = 1 - std::pow(static_cast<T>(adam.beta_2), t);
    return {static_cast<T>(step.rate) * std::sqrt(second) / first};
  });
}

Tensor adam_rate_later(const Tensor& step, const Tensor& rate, const AdamNumbers& adam) {
  const Tensor first = 1 - pow(Tensor(Number(adam.beta_1), step.dtype()), step);
  const Tensor second = 1 - pow(Tensor(Number(adam.beta_2), step.dtype()), step);
  return rate * sqrt(second) / first;
}

void adam_rule(ElementUpdate& u, const AdamNumbers& adam) {
  const Scalar g = u.gradient();
  const Scalar m = u.slot(0) + (g - u.slot(0)) * u.constant(1 - adam.beta_1);
  const Scalar v = u.slot(1) + (g * g - u.slot(1)) * u.constant(1 - adam.beta_2);
  u.set_slot(0, m);
  u.set_slot(1, v);
  Scalar size = v;
  if (adam.amsgrad) {
    size = max(u.slot(2), v);
    u.set_slot(2, size);
  }
  u.set_value(u.value() - u.scalar(0) * m / (scalar::sqrt(size) + u.constant(adam.epsilon)));
}

std::vector<OptimizerImpl::Slot> adam_slots(bool amsgrad) {
  std::vector<OptimizerImpl::Slot> slots = {{"momentum"}, {"velocity"}};
  if (amsgrad) slots.push_back({.name = "velocity_hat", .list = 1});
  return slots;
}

}  // namespace alula::keras::optimizers
