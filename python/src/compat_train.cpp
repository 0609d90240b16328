#include "python/src/compat.h"
#include "python/src/ops.h"

// Gradients and optimizers of graphs.
namespace alula::python {
namespace {

using v1::train::GradientAndVariable;
using v1::train::Optimizer;

/// A tensor, or what stands for a variable.
Tensor differentiable(nb::handle object) {
  if (const Variable* variable = held_variable(object)) return as_v1(*variable);
  return to_tensor(object);
}

std::vector<Tensor> differentiables(nb::handle objects) {
  if (!nb::isinstance<nb::list>(objects) && !nb::isinstance<nb::tuple>(objects))
    return {differentiable(objects)};
  std::vector<Tensor> tensors;
  for (const nb::handle object : objects) tensors.push_back(differentiable(object));
  return tensors;
}

nb::object wrap_or_none(const Tensor& tensor) {
  return tensor.defined() ? nb::object(wrap(tensor)) : nb::none();
}

nb::list gradients(nb::handle ys, nb::handle xs, nb::handle grad_ys) {
  v1::GradientsOptions options;
  if (!grad_ys.is_none()) options.grad_ys = differentiables(grad_ys);
  nb::list list;
  for (const Tensor& gradient : v1::gradients(differentiables(ys), differentiables(xs), options))
    list.append(wrap_or_none(gradient));
  return list;
}

v1::train::MinimizeOptions minimize_options(nb::handle var_list) {
  v1::train::MinimizeOptions options;
  if (!var_list.is_none())
    for (const nb::handle variable : var_list)
      options.var_list.push_back(as_v1(variable_of(variable, "minimize")));
  return options;
}

nb::list compute_gradients(Optimizer& optimizer, Like loss, nb::handle var_list) {
  nb::list pairs;
  for (const auto& [gradient, variable] :
       optimizer.compute_gradients(loss.tensor(), minimize_options(var_list)))
    pairs.append(nb::make_tuple(wrap_or_none(gradient), graph_variable(variable)));
  return pairs;
}

v1::Operation apply_gradients(Optimizer& optimizer, nb::handle pairs) {
  std::vector<GradientAndVariable> gradients;
  for (const nb::handle pair : pairs) {
    const nb::object gradient = pair[0], variable = pair[1];
    gradients.emplace_back(gradient.is_none() ? Tensor() : to_tensor(gradient),
                           as_v1(variable_of(variable, "apply_gradients")));
  }
  return optimizer.apply_gradients(gradients);
}

}  // namespace

void bind_compat_train(nb::module_& m) {
  m.def(
      "gradients",
      [](nb::handle ys, nb::handle xs, nb::handle grad_ys, nb::handle, const nb::kwargs&) {
        return gradients(ys, xs, grad_ys);
      },
      "ys"_a, "xs"_a, "grad_ys"_a = nb::none(), "name"_a = "gradients", "kwargs"_a,
      "The gradients of the sum of ys with respect to xs, to be run; None where there is none.");
  nb::class_<Optimizer>(m, "_Optimizer")
      .def(
          "_minimize",
          [](Optimizer& self, Like loss, nb::handle var_list) {
            return self.minimize(loss.tensor(), minimize_options(var_list));
          },
          "loss"_a, "var_list"_a.none())
      .def("_compute_gradients", &compute_gradients, "loss"_a, "var_list"_a.none())
      .def("_apply_gradients", &apply_gradients);
  nb::class_<v1::train::GradientDescentOptimizer, Optimizer>(m, "_GradientDescent")
      .def(nb::init<double>());
  nb::class_<v1::train::AdamOptimizer, Optimizer>(m, "_Adam")
      .def("__init__", [](v1::train::AdamOptimizer* self, double rate, double beta1, double beta2,
                          double epsilon) {
        new (self) v1::train::AdamOptimizer(
            {.learning_rate = rate, .beta1 = beta1, .beta2 = beta2, .epsilon = epsilon});
      });
}

}  // namespace alula::python
