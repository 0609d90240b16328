#include "alula/keras/optimizers/sgd.h"

namespace alula::keras::optimizers {

SGDImpl::SGDImpl(const Options& options)
    : OptimizerImpl("SGD", common_options(options)), options_(options) {
  require(options.momentum >= 0 && options.momentum <= 1, "{}: momentum must be in [0, 1]. Got {}.",
          name(), options.momentum);
}

std::vector<OptimizerImpl::Slot> SGDImpl::slots() const {
  if (options_.momentum == 0) return {};
  return {{"momentum"}};
}

void SGDImpl::rule(ElementUpdate& u) const {
  const Scalar step = u.scalar(0) * u.gradient();
  if (options_.momentum == 0) return u.set_value(u.value() - step);
  const Scalar momentum = u.constant(options_.momentum);
  const Scalar velocity = momentum * u.slot(0) - step;
  u.set_slot(0, velocity);
  u.set_value(u.value() + (options_.nesterov ? momentum * velocity - step : velocity));
}

}  // namespace alula::keras::optimizers
