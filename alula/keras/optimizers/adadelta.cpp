#include "alula/keras/optimizers/adadelta.h"

namespace alula::keras::optimizers {

AdadeltaImpl::AdadeltaImpl(const Options& options)
    : OptimizerImpl("Adadelta", common_options(options)), options_(options) {
  require(options.rho >= 0 && options.rho < 1, "{}: rho must be in [0, 1). Got {}.", name(),
          options.rho);
}

std::vector<OptimizerImpl::Slot> AdadeltaImpl::slots() const {
  return {{"accumulated_grad"}, {"accumulated_delta_var"}};
}

void AdadeltaImpl::rule(ElementUpdate& u) const {
  const Scalar rho = u.constant(options_.rho), rest = u.constant(1 - options_.rho);
  const Scalar epsilon = u.constant(options_.epsilon);
  const Scalar g = u.gradient();
  const Scalar gradients = rho * u.slot(0) + rest * (g * g);
  const Scalar step = sqrt(u.slot(1) + epsilon) * g / sqrt(gradients + epsilon);
  u.set_slot(0, gradients);
  u.set_slot(1, rho * u.slot(1) + rest * (step * step));
  u.set_value(u.value() - u.scalar(0) * step);
}

}  // namespace alula::keras::optimizers
