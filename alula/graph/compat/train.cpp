#include "alula/graph/compat/train.h"

#include "alula/ops/fill.h"
#include "alula/ops/operators.h"
#include "alula/ops/sqrt.h"
#include "alula/ops/square.h"

namespace alula::compat::v1::train {
namespace {

/// A variable of the optimizer's own for one of the model's.
Variable slot_of(const Variable& variable, const char* what) {
  const GraphScope scope(get_default_graph());  // its initial value is made in the session
  return Variable(zeros(variable.shape(), variable.dtype()),
                  {.trainable = false, .name = variable.name() + "/" + what});
}

bool any_defined(const std::vector<GradientAndVariable>& gradients) {
  for (const auto& [gradient, variable] : gradients)
    if (gradient.defined()) return true;
  return false;
}

}  // namespace

std::vector<GradientAndVariable> Optimizer::compute_gradients(const Tensor& loss,
                                                              const MinimizeOptions& options) {
  const std::vector<Variable> variables =
      options.var_list.empty() ? trainable_variables() : options.var_list;
  require(!variables.empty(), "minimize: there are no variables to change.");
  const std::vector<Tensor> found = gradients({loss}, variables);
  std::vector<GradientAndVariable> pairs;
  for (size_t i = 0; i < variables.size(); ++i) pairs.emplace_back(found[i], variables[i]);
  return pairs;
}

Operation Optimizer::minimize(const Tensor& loss, const MinimizeOptions& options) {
  const std::vector<GradientAndVariable> found = compute_gradients(loss, options);
  require(any_defined(found),
          "minimize: the loss depends on none of the variables. Got a loss of {}.", loss.spec());
  return apply_gradients(found);
}

Operation GradientDescentOptimizer::apply_gradients(
    const std::vector<GradientAndVariable>& gradients) {
  std::vector<Tensor> updates;
  for (const auto& [gradient, variable] : gradients)
    if (gradient.defined()) updates.push_back(variable.assign_sub(gradient * learning_rate_));
  return updates;
}

Operation AdamOptimizer::apply_gradients(const std::vector<GradientAndVariable>& gradients) {
  const auto [rate, beta1, beta2, epsilon] = options_;
  std::vector<Tensor> updates;
  for (const auto& [gradient, variable] : gradients) {
    if (!gradient.defined()) continue;
    // Each variable has its own powers: they are then of its dtype, and few.
    const Variable power1(Tensor(Number(1.0), variable.dtype()), {false, "beta1_power"});
    const Variable power2(Tensor(Number(1.0), variable.dtype()), {false, "beta2_power"});
    const Tensor left1 = power1.assign(power1 * beta1), left2 = power2.assign(power2 * beta2);
    const Variable mean = slot_of(variable, "adam_m"), spread = slot_of(variable, "adam_v");
    const Tensor m = mean.assign(mean * beta1 + gradient * (1 - beta1));
    const Tensor v = spread.assign(spread * beta2 + square(gradient) * (1 - beta2));
    const Tensor corrected = sqrt(1 - left2) / (1 - left1) * rate;
    updates.push_back(variable.assign_sub(corrected * m / (sqrt(v) + epsilon)));
  }
  return updates;
}

}  // namespace alula::compat::v1::train
