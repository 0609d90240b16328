#include "alula/graph/control/while_loop.h"

#include "alula/graph/control/control_op.h"
#include "alula/graph/control/loop.h"

namespace alula {
namespace {

constexpr const char* kName = "while_loop";

/// What loop variables are at every step.
std::vector<Spec> invariants_of(const std::vector<Tensor>& variables,
                                const std::vector<Shape>& shapes) {
  require(shapes.empty() || shapes.size() == variables.size(),
          "{}: there are {} shape_invariants for {} loop variables. Give one for each, or none.",
          kName, shapes.size(), variables.size());
  std::vector<Spec> specs;
  for (size_t i = 0; i < variables.size(); ++i) {
    require(variables[i].defined(), "{}: loop variable {} is not defined yet.", kName, i);
    specs.push_back(variables[i].spec());
    if (shapes.empty()) continue;
    specs.back().shape = shapes[i];
    require(graph::fits(specs.back(), variables[i].spec()),
            "{}: loop variable {} does not fit its shape invariant, {}. Got {}.", kName, i,
            shapes[i], variables[i].spec());
  }
  return specs;
}

bool holds(const Tensor& predicate) {
  require(predicate.defined() && predicate.dtype() == boolean && predicate.rank() == 0,
          "{}: the condition must return a scalar bool. Got {}.", kName,
          predicate.defined() ? to_string(predicate.spec()) : "no tensor");
  return predicate.item<bool>();
}

/// Outside of traces: a loop of C++. Shapes may change there, as in TensorFlow.
std::vector<Tensor> run_now(const std::function<Tensor(const std::vector<Tensor>&)>& condition,
                            const graph::TracedFunction& body, std::vector<Tensor> variables,
                            int64_t maximum_iterations) {
  for (int64_t count = 0; count != maximum_iterations && holds(condition(variables)); ++count) {
    std::vector<Tensor> next = body(variables);
    require(next.size() == variables.size(),
            "{}: the body returns {} tensors. There must be {}, one a loop variable.", kName,
            next.size(), variables.size());
    variables = std::move(next);
  }
  return variables;
}

}  // namespace

std::vector<Tensor> while_loop(
    const std::function<Tensor(const std::vector<Tensor>&)>& condition,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
    std::vector<Tensor> loop_variables, const WhileLoopOptions& options) {
  require(condition != nullptr && body != nullptr, "{}: there is no function to call.", kName);
  require(!loop_variables.empty(), "{}: there is no loop variable. Give it at least one.", kName);
  require(options.maximum_iterations >= -1,
          "{}: maximum_iterations cannot be negative. Got {}. -1 is no limit.", kName,
          options.maximum_iterations);
  const std::vector<Spec> invariants = invariants_of(loop_variables, options.shape_invariants);
  if (!t_state.tracing())
    return run_now(condition, body, std::move(loop_variables), options.maximum_iterations);
  return graph::make_loop({.name = kName,
                           .function = "body",
                           .variable = "loop variable",
                           .carried = std::move(loop_variables),
                           .carried_specs = invariants,
                           .step = body,
                           .condition = condition,
                           .maximum_iterations = options.maximum_iterations})
      .carried;
}

}  // namespace alula
