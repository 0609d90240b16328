#include "alula/keras/optimizers/rmsprop.h"

namespace alula::keras::optimizers {

RMSpropImpl::RMSpropImpl(const Options& options)
    : OptimizerImpl("RMSprop", common_options(options)), options_(options) {
  require(options.rho >= 0 && options.rho < 1, "{}: rho must be in [0, 1). Got {}.", name(),
          options.rho);
  require(options.momentum >= 0 && options.momentum < 1, "{}: momentum must be in [0, 1). Got {}.",
          name(), options.momentum);
}

std::vector<OptimizerImpl::Slot> RMSpropImpl::slots() const {
  std::vector<Slot> slots = {{"velocity"}};
  if (options_.momentum > 0) slots.push_back({.name = "momentum", .list = 1});
  if (options_.centered) slots.push_back({.name = "average_gradient", .list = 2});
  return slots;
}

void RMSpropImpl::rule(ElementUpdate& u) const {
  const Scalar rho = u.constant(options_.rho), rest = u.constant(1 - options_.rho);
  const Scalar g = u.gradient();
  const Scalar velocity = rho * u.slot(0) + rest * (g * g);
  u.set_slot(0, velocity);
  Scalar denominator = velocity;
  const int last = options_.momentum > 0 ? 2 : 1;
  if (options_.centered) {
    const Scalar average = rho * u.slot(last) + rest * g;
    u.set_slot(last, average);
    denominator = velocity - average * average;
  }
  const Scalar step = u.scalar(0) * g / sqrt(denominator + u.constant(options_.epsilon));
  if (options_.momentum == 0) return u.set_value(u.value() - step);
  u.set_slot(1, u.constant(options_.momentum) * u.slot(1) + step);
  u.set_value(u.value() - u.slot(1));
}

}  // namespace alula::keras::optimizers
