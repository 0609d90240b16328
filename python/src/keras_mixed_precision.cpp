#include "python/src/keras_layer.h"
#include "python/src/ops.h"

/// Policies, and the optimizer that scales the loss.
namespace alula::python {
namespace {

using namespace alula::keras;
using optimizers::LossScaleOptimizerImpl;

void bind_policy(nb::module_& m) {
  nb::class_<Policy>(m, "DTypePolicy",
                     "What a layer computes in, and what its weights are kept in.\n\n"
                     ">>> policy = tf.keras.mixed_precision.Policy(\"mixed_bfloat16\")\n"
                     ">>> policy.compute_dtype, policy.variable_dtype\n"
                     "('bfloat16', 'float32')")
      .def(
          "__init__", [](Policy* self, const std::string& name) { new (self) Policy(name); },
          "name"_a)
      .def_prop_ro("name", &Policy::name)
      .def_prop_ro("compute_dtype",
                   [](const Policy& self) { return to_string(self.compute_dtype()); })
      .def_prop_ro("variable_dtype",
                   [](const Policy& self) { return to_string(self.variable_dtype()); })
      .def("__repr__",
           [](const Policy& self) { return fmt::format("<DTypePolicy \"{}\">", self.name()); })
      .def("__eq__",
           [](const Policy& self, nb::handle other) {
             return nb::isinstance<Policy>(other) && *nb::inst_ptr<Policy>(other) == self;
           })
      .def("__hash__", [](const Policy& self) { return nb::hash(nb::str(self.name().c_str())); })
      .def("__reduce__",
           [](nb::handle self) {
             return nb::make_tuple(nb::handle(self.type()), nb::make_tuple(self.attr("name")));
           })
      .def("get_config", [](const Policy& self) {
        nb::dict config;
        config["name"] = self.name();
        return config;
      });
  m.def(
      "set_global_policy",
      [](nb::handle policy) { mixed_precision::set_global_policy(to_policy(policy)); }, "policy"_a,
      "Sets the policy of layers and models that are made from now on without a dtype of their "
      "own.\n\n"
      ">>> tf.keras.mixed_precision.set_global_policy(\"mixed_bfloat16\")\n"
      ">>> tf.keras.layers.Dense(2)(tf.ones((1, 2))).dtype\n"
      "tf.bfloat16\n"
      ">>> tf.keras.mixed_precision.set_global_policy(\"float32\")");
  m.def("global_policy", &mixed_precision::global_policy,
        "The policy of layers that are made without a dtype of their own.\n\n"
        ">>> tf.keras.mixed_precision.global_policy()\n"
        "<DTypePolicy \"float32\">");
}

std::shared_ptr<OptimizerImpl> to_optimizer(nb::handle given) {
  nb::object value = nb::borrow(given);
  if (PyUnicode_Check(given.ptr()) || PyDict_Check(given.ptr()) || PyType_Check(given.ptr()))
    value = nb::module_::import_("alula.keras.optimizers").attr("get")(given);
  std::shared_ptr<OptimizerImpl> optimizer;
  if (!nb::try_cast(value, optimizer) || optimizer == nullptr)
    throw nb::value_error(
        fmt::format("LossScaleOptimizer: inner_optimizer is an optimizer. Got {}.",
                    nb::repr(given).c_str())
            .c_str());
  return optimizer;
}

void bind_loss_scale_optimizer(nb::module_& m) {
  nb::class_<LossScaleOptimizerImpl, OptimizerImpl>(
      m, "LossScaleOptimizer",
      "Scales the loss, so that the small gradients of float16 are not lost, and skips steps whose "
      "gradients overflow. compile() puts one around the optimizer of a model whose policy is "
      "mixed_float16.\n\n"
      ">>> optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(1.0))\n"
      ">>> optimizer.scale_loss(tf.constant(2.0)).numpy()\nnp.float32(65536.0)")
      .def(
          "__init__",
          [](nb::pointer_and_handle<LossScaleOptimizerImpl> self, nb::handle inner,
             double initial_scale, int64_t dynamic_growth_steps,
             const std::optional<std::string>& name) {
            LossScaleOptimizerImpl::Options options{.inner_optimizer = to_optimizer(inner),
                                                    .initial_scale = initial_scale,
                                                    .dynamic_growth_steps = dynamic_growth_steps};
            if (name.has_value()) options.name = *name;
            const WithoutTracing once;
            new (static_cast<void*>(self.p)) LossScaleOptimizerImpl(options);
          },
          "inner_optimizer"_a, "initial_scale"_a = 32768.0, "dynamic_growth_steps"_a = 2000,
          "name"_a = nb::none())
      .def_prop_ro("inner_optimizer",
                   [](const LossScaleOptimizerImpl& self) {
                     return self.options.inner_optimizer.impl().shared_from_this();
                   })
      .def_prop_ro("initial_scale",
                   [](const LossScaleOptimizerImpl& self) { return self.options.initial_scale; })
      .def_prop_ro(
          "dynamic_growth_steps",
          [](const LossScaleOptimizerImpl& self) { return self.options.dynamic_growth_steps; })
      .def_prop_ro("dynamic_scale", &LossScaleOptimizerImpl::dynamic_scale)
      .def_prop_ro("step_counter", &LossScaleOptimizerImpl::step_counter);
}

}  // namespace

Policy to_policy(nb::handle value) {
  if (value.is_none()) return mixed_precision::global_policy();
  if (nb::isinstance<Policy>(value)) return *nb::inst_ptr<Policy>(value);
  if (PyUnicode_Check(value.ptr())) return nb::cast<std::string>(value);
  if (PyDict_Check(value.ptr())) {  // as Keras writes it into a configuration
    const auto outer = nb::cast<nb::dict>(value);
    const nb::object inner =
        outer.contains("config") ? nb::object(outer["config"]) : nb::object(outer);
    return nb::cast<std::string>(inner["name"]);
  }
  return to_dtype(value);
}

void bind_keras_mixed_precision(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("mixed_precision", "Computing in 16 bits.");
  bind_policy(m);
  bind_loss_scale_optimizer(m);
}

}  // namespace alula::python
