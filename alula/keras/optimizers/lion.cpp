#include "alula/keras/optimizers/lion.h"

#include "alula/ops/sign.h"

namespace alula::keras::optimizers {

LionImpl::LionImpl(const Options& options)
    : OptimizerImpl("Lion", common_options(options)), options_(options) {
  require(options.beta_1 >= 0 && options.beta_1 < 1, "{}: beta_1 must be in [0, 1). Got {}.",
          name(), options.beta_1);
  require(options.beta_2 >= 0 && options.beta_2 < 1, "{}: beta_2 must be in [0, 1). Got {}.",
          name(), options.beta_2);
}

std::vector<OptimizerImpl::Slot> LionImpl::slots() const { return {{"momentum"}}; }

void LionImpl::rule(ElementUpdate& u) const {
  const Scalar g = u.gradient(), m = u.slot(0);
  const Scalar mixed = u.constant(options_.beta_1) * m + u.constant(1 - options_.beta_1) * g;
  u.set_value(u.value() - u.scalar(0) * scalar::sign(mixed));
  u.set_slot(0, u.constant(options_.beta_2) * m + u.constant(1 - options_.beta_2) * g);
}

}  // namespace alula::keras::optimizers
