#include "alula/keras/optimizers/adagrad.h"

namespace alula::keras::optimizers {

AdagradImpl::AdagradImpl(const Options& options)
    : OptimizerImpl("Adagrad", common_options(options)), options_(options) {
  require(options.initial_accumulator_value >= 0,
          "{}: initial_accumulator_value must not be negative. Got {}.", name(),
          options.initial_accumulator_value);
}

std::vector<OptimizerImpl::Slot> AdagradImpl::slots() const {
  return {{.name = "accumulator", .initial = options_.initial_accumulator_value}};
}

void AdagradImpl::rule(ElementUpdate& u) const {
  const Scalar g = u.gradient();
  const Scalar sum = u.slot(0) + g * g;
  u.set_slot(0, sum);
  u.set_value(u.value() - u.scalar(0) * g / sqrt(sum + u.constant(options_.epsilon)));
}

}  // namespace alula::keras::optimizers
