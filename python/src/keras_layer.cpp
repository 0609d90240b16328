#include "python/src/keras_layer.h"

#include "python/src/keras_layer_methods.h"
#include "python/src/ops.h"
#include "python/src/tensor.h"

namespace alula::python {
namespace {

/// What layers only let those use that derive from them.
struct Access : LayerImpl {
  using LayerImpl::add_loss;
  using LayerImpl::add_weight;
  using LayerImpl::set_built;
};

nb::list wrap_variables(const std::vector<Variable>& variables) {
  nb::list list;
  for (const Variable& variable : variables) list.append(object_of(variable));
  return list;
}

nb::object add_weight(nb::handle self, nb::handle shape, nb::handle initializer, nb::handle dtype,
                      bool trainable, bool, nb::handle regularizer, nb::handle constraint,
                      nb::handle, nb::handle name) {
  LayerImpl& layer = initialized(self);
  if (PyUnicode_Check(shape.ptr())) std::swap(shape, name);  // Keras 2 had the name first
  if (!constraint.is_none())
    throw nb::value_error("add_weight: constraints are not supported. Leave constraint out.");
  keras::WeightOptions options;
  options.name =
      name.is_none() || !PyUnicode_Check(name.ptr()) ? "variable" : nb::cast<std::string>(name);
  if (!shape.is_none()) options.shape = to_shape(shape);
  const DType type = dtype.is_none() ? layer.dtype() : to_dtype(dtype);
  options.dtype = type;
  options.trainable = trainable;
  options.regularizer = to_regularizer(regularizer);
  options.initializer = !initializer.is_none() ? to_initializer(initializer)
                        : is_floating(type)    ? keras::Initializer("glorot_uniform")
                                               : keras::Initializer("zeros");
  return object_of((layer.*(&Access::add_weight))(options));
}

nb::list get_weights(std::shared_ptr<LayerImpl> layer) {
  nb::list values;
  for (const Tensor& value : Layer(std::move(layer)).get_weights())
    values.append(numpy().attr("asarray")(to_numpy(value)));
  return values;
}

void set_weight_values(std::shared_ptr<LayerImpl> layer, nb::handle values) {
  std::vector<Tensor> tensors;
  for (const nb::handle value : values) tensors.push_back(to_tensor(value));
  Layer(std::move(layer)).set_weights(tensors);
}

nb::object noted(nb::handle self, const std::vector<Tensor>& tensors, const char* what) {
  if (tensors.empty())
    throw nb::attribute_error(
        fmt::format("The layer '{}' has never been called and thus has no defined {}.",
                    nb::inst_ptr<LayerImpl>(self)->name(), what)
            .c_str());
  return wrap_outputs(tensors);
}

void add_loss(nb::handle self, nb::handle loss) {
  auto& layer = *nb::inst_ptr<LayerImpl>(self);
  if (PyList_Check(loss.ptr()) || PyTuple_Check(loss.ptr())) {
    for (const nb::handle item : loss) add_loss(self, item);
    return;
  }
  (layer.*(&Access::add_loss))(to_tensor(loss));
}

}  // namespace

LayerImpl& initialized(nb::handle self) {
  if (!nb::inst_ready(self))
    throw std::runtime_error(fmt::format(
        "In layer {}, you forgot to call `super().__init__()` as the first statement in the "
        "`__init__()` method. Go add it!",
        class_name_of(self)));
  return *nb::inst_ptr<LayerImpl>(self);
}

std::string class_name_of(nb::handle self) {
  return nb::cast<std::string>(self.type().attr("__name__"));
}

void bind_keras_layer(nb::module_& m) {
  using Shared = std::shared_ptr<LayerImpl>;
  nb::class_<LayerImpl, PyLayer<LayerImpl>> type(
      m, "Layer", nb::dynamic_attr(), nb::is_weak_referenceable(),
      "A layer: weights, and a function of tensors that uses them. Classes of one's own override "
      "`build` and `call`.\n\n"
      ">>> class Double(tf.keras.layers.Layer):\n"
      "...     def call(self, inputs):\n"
      "...         return inputs * 2\n"
      ">>> Double()(tf.constant([1.0, 2.0])).numpy()\n"
      "array([2., 4.], dtype=float32)");
  static const Table table("Layer", [] {
    std::vector<Field> fields = with_common_fields<keras::LayerOptions>({});
    for (Field& field : fields) field.keyword_only = true;
    return fields;
  }());
  type.def(
      "__init__",
      [](nb::pointer_and_handle<LayerImpl> self, const nb::args& args, const nb::kwargs& kwargs) {
        keras::LayerOptions options;
        nb::object kept;
        table.read(&options, args, kwargs, kept);
        new (static_cast<void*>(self.p)) PyLayer<LayerImpl>(self.h, options);
        self.p->set_class(class_name_of(self.h));
      },
      nb::sig("def __init__(self, *, activity_regularizer: None = None, trainable: bool = True, "
              "dtype: typing.Any = None, name: str | None = None, **kwargs: typing.Any) -> None"));
  type.def("__call__", &call_layer, "args"_a, "kwargs"_a)
      .def("__setattr__", &set_attribute, "name"_a, "value"_a.none())
      .def("__delattr__", &delete_attribute)
      .def("__getattr__", &find_attribute)
      .def("_track", &track)
      .def("_untrack", &untrack)
      .def("__repr__",
           [](const LayerImpl& self) {
             return fmt::format("<{} name={}, built={}>", self.class_name(), self.name(),
                                self.built() ? "True" : "False");
           })
      .def_prop_ro("name", &LayerImpl::name)
      .def_prop_ro("dtype", [](const LayerImpl& self) { return to_string(self.dtype()); })
      .def_prop_ro("compute_dtype",
                   [](const LayerImpl& self) { return to_string(self.compute_dtype()); })
      .def_prop_ro("variable_dtype",
                   [](const LayerImpl& self) { return to_string(self.variable_dtype()); })
      .def_prop_rw(
          "dtype_policy", [](const LayerImpl& self) { return self.dtype_policy(); },
          [](LayerImpl& self, nb::handle policy) { self.set_dtype_policy(to_policy(policy)); },
          nb::for_setter(nb::arg("policy").none()))
      .def_prop_rw("trainable", &LayerImpl::trainable, &LayerImpl::set_trainable)
      .def_prop_rw("built", &LayerImpl::built,
                   [](LayerImpl& self, bool built) {
                     if (built) (self.*(&Access::set_built))();
                   })
      .def("build", &build_layer, "input_shape"_a, "Makes the weights for inputs of this shape.")
      .def("call", &call_directly, "inputs"_a, "args"_a, "kwargs"_a,
           "What the layer computes; call the layer itself instead.")
      .def("compute_output_shape", &compute_output_shape, "input_shape"_a,
           "The shape of the output for an input's shape, the batch included.")
      .def("add_weight", &add_weight, "shape"_a = nb::none(), "initializer"_a = nb::none(),
           "dtype"_a = nb::none(), "trainable"_a = true, "autocast"_a = true,
           "regularizer"_a = nb::none(), "constraint"_a = nb::none(), "aggregation"_a = nb::none(),
           "name"_a = nb::none(), "Makes a variable that is one of the layer's weights.")
      .def("add_loss", &add_loss, "loss"_a, "Adds a number to the loss of the step under way.")
      .def_prop_ro("losses", [](const LayerImpl& self) { return wrap_all(self.losses()); })
      .def(
          "count_params", [](Shared self) { return Layer(std::move(self)).count_params(); },
          "The number of elements of all weights.")
      .def("get_weights", &get_weights, "The values of all weights, as arrays of NumPy.")
      .def("set_weights", &set_weight_values, "weights"_a,
           "Sets all weights, in the order of get_weights().")
      .def("get_config", &get_config, "What the layer was made with.")
      .def_prop_ro("input",
                   [](nb::handle self) {
                     return noted(self, nb::inst_ptr<LayerImpl>(self)->noted_inputs(), "input");
                   })
      .def_prop_ro("output", [](nb::handle self) {
        return noted(self, nb::inst_ptr<LayerImpl>(self)->noted_outputs(), "output");
      });
  for (const char* name : {"weights", "variables"})
    type.def_prop_ro(name, [](const LayerImpl& self) { return wrap_variables(self.weights()); });
  for (const char* name : {"trainable_weights", "trainable_variables"})
    type.def_prop_ro(name, [](Shared self) {
      return wrap_variables(Layer(std::move(self)).trainable_variables());
    });
  for (const char* name : {"non_trainable_weights", "non_trainable_variables"})
    type.def_prop_ro(name, [](Shared self) {
      return wrap_variables(Layer(std::move(self)).non_trainable_variables());
    });
}

}  // namespace alula::python