#include "alula/keras/optimizers/ftrl.h"

namespace alula::keras::optimizers {

FtrlImpl::FtrlImpl(const Options& options)
    : OptimizerImpl("Ftrl", common_options(options)), options_(options) {
  require(options.learning_rate_power <= 0,
          "{}: learning_rate_power must not be greater than 0. Got {}.", name(),
          options.learning_rate_power);
  require(options.initial_accumulator_value >= 0 && options.l1_regularization_strength >= 0 &&
              options.l2_regularization_strength >= 0 &&
              options.l2_shrinkage_regularization_strength >= 0,
          "{}: initial_accumulator_value and the strengths of regularization must not be negative.",
          name());
}

std::vector<OptimizerImpl::Slot> FtrlImpl::slots() const {
  return {{.name = "accumulator", .initial = options_.initial_accumulator_value}, {"linear"}};
}

void FtrlImpl::rule(ElementUpdate& u) const {
  const Scalar rate = u.scalar(0), w = u.value(), g = u.gradient();
  const Scalar power = u.constant(-options_.learning_rate_power);
  const Scalar l1 = u.constant(options_.l1_regularization_strength);
  const Scalar l2 =
      u.constant(options_.l2_regularization_strength) + u.constant(options_.beta) / (2 * rate);
  const Scalar shrunk = g + u.constant(2 * options_.l2_shrinkage_regularization_strength) * w;
  const Scalar sum = u.slot(0) + g * g;
  const Scalar root = pow(sum, power);
  const Scalar linear = u.slot(1) + shrunk - (root - pow(u.slot(0), power)) / rate * w;
  const Scalar quadratic = root / rate + 2 * l2;
  const Scalar clipped = max(min(linear, l1), -l1);
  u.set_slot(0, sum);
  u.set_slot(1, linear);
  u.set_value((clipped - linear) / quadratic);
}

}  // namespace alula::keras::optimizers
