#include "python/src/keras_layer.h"

#include <algorithm>
#include <unordered_map>

#include "alula/graph/trace.h"
#include "python/src/ops.h"
#include "python/src/tensor.h"

namespace alula::python {
namespace {

/// What layers only let those use that derive from them.
struct Access : LayerImpl {
  using LayerImpl::add_loss;
  using LayerImpl::add_weight;
  using LayerImpl::set_built;
  using LayerImpl::track_weight;
  using LayerImpl::untrack;
  static void add_layer(LayerImpl& layer, const Layer& inner) {
    (layer.*static_cast<void (LayerImpl::*)(const Layer&)>(&Access::track<Layer>))(inner);
  }
};

nb::handle layer_type;

std::unordered_map<PyObject*, const LayerKind*>& kinds() {
  static std::unordered_map<PyObject*, const LayerKind*> all;
  return all;
}

const LayerKind* kind_of(nb::handle self) {
  for (const nb::handle type : nb::borrow<nb::tuple>(self.type().attr("__mro__")))
    if (const auto found = kinds().find(type.ptr()); found != kinds().end()) return found->second;
  return nullptr;
}

/// Whether a class's method is its own, and not the one that all layers have.
bool is_own(nb::handle type, const char* method) {
  return !nb::object(type.attr(method)).is(nb::object(layer_type.attr(method)));
}

/// Whether a function has an argument of that name, or takes any.
bool takes(nb::handle function, const char* name) {
  nb::object target = nb::borrow(function);
  while (!nb::hasattr(target, "__code__") && nb::hasattr(target, "__wrapped__"))
    target = target.attr("__wrapped__");
  if (!nb::hasattr(target, "__code__")) return false;
  const nb::object code = target.attr("__code__");
  constexpr int kAnyKeywords = 0x08;
  if ((nb::cast<int>(code.attr("co_flags")) & kAnyKeywords) != 0) return true;
  const auto count =
      nb::cast<size_t>(code.attr("co_argcount")) + nb::cast<size_t>(code.attr("co_kwonlyargcount"));
  const auto names = nb::borrow<nb::tuple>(code.attr("co_varnames"));
  for (size_t i = 0; i < count; ++i)
    if (nb::cast<std::string_view>(names[i]) == name) return true;
  return false;
}

nb::object call_with(nb::handle function, nb::handle first, nb::handle rest, nb::handle kwargs) {
  nb::list args;
  args.append(first);
  for (const nb::handle item : rest) args.append(item);
  return nb::steal(PyObject_Call(function.ptr(), nb::tuple(args).ptr(), kwargs.ptr()));
}

nb::object checked(nb::object result) {
  if (!result.is_valid()) throw nb::python_error();
  return result;
}

}  // namespace

void add_kind(nb::handle type, const LayerKind* kind) { kinds()[type.ptr()] = kind; }

std::string class_name_of(nb::handle self) {
  return nb::cast<std::string>(self.type().attr("__name__"));
}

// PythonLayer

PythonLayer::PythonLayer(nb::handle self) : self_(self) {
  const nb::handle type = self.type();
  if (is_own(type, "build")) overridden_ |= kBuild;
  if (is_own(type, "call")) overridden_ |= kCall;
  if (overrides(kCall)) takes_training_ = takes(type.attr("call"), "training");
}

std::vector<Tensor> PythonLayer::call_in_python(const std::vector<Tensor>& values, bool training) {
  const auto call = [&] {
    const nb::gil_scoped_acquire lock;
    nb::object first;
    nb::object rest = nb::tuple();
    nb::dict kwargs;
    if (has_arguments && arguments.size() == values.size()) {
      const nb::object packed = arguments.pack(values);
      first = packed[0];
      rest = packed[1];
      kwargs = nb::cast<nb::dict>(nb::object(packed[2]));
    } else if (!inputs.is_single() && inputs.size() == values.size()) {
      first = inputs.pack(values);
    } else {
      first = values.size() == 1 ? wrap(values[0]) : nb::object(wrap_all(values));
    }
    if (takes_training_ && !kwargs.contains("training")) kwargs["training"] = training;
    const nb::object result =
        checked(call_with(as_traced(self_.attr("call")), first, rest, kwargs));
    if (result.is_none())
      throw nb::value_error(
          fmt::format("{}: call() returned None. Return the layer's output.", class_name_of(self_))
              .c_str());
    std::vector<Tensor> tensors;
    results = Structure::flatten(result, tensors);
    return tensors;
  };
  const bool described =
      !t_state.tracing() &&
      std::any_of(values.begin(), values.end(), [](const Tensor& x) { return x.is_symbolic(); });
  if (!described) return call();
  try {
    return call();
  } catch (nb::python_error& error) {
    const nb::gil_scoped_acquire lock;
    const nb::object graph_error =
        nb::module_::import_("alula.errors").attr("OperatorNotAllowedInGraphError");
    if (!error.matches(graph_error)) throw;
  }
  // It branches on what it is called with: a trace tells what would come out.
  std::vector<Spec> specs;
  for (const Tensor& value : values) specs.push_back(value.spec());
  const graph::Graph graph = graph::trace(
      [&](const std::vector<Tensor>& inputs) { return call_in_python(inputs, training); }, specs);
  std::vector<Tensor> outputs;
  for (const graph::Value& output : graph.outputs)
    outputs.push_back(Tensor::symbolic(graph.spec(output), Ref<Note>(new Symbol)));
  return outputs;
}

void PythonLayer::build_in_python(const std::vector<Shape>& shapes) const {
  const nb::gil_scoped_acquire lock;
  if (shapes.size() == 1) {
    self_.attr("build")(shape_tuple(shapes[0]));
    return;
  }
  nb::list all;
  for (const Shape& shape : shapes) all.append(shape_tuple(shape));
  self_.attr("build")(all);
}

std::shared_ptr<LayerImpl> PythonLayer::copy_in_python() const {
  const nb::gil_scoped_acquire lock;
  const nb::object made = self_.type().attr("from_config")(self_.attr("get_config")());
  return nb::cast<std::shared_ptr<LayerImpl>>(made);
}

// Calls

namespace {

[[noreturn]] void fail_before_init(nb::handle self) {
  const std::string name = class_name_of(self);
  throw std::runtime_error(fmt::format(
      "In layer {}, you forgot to call `super().__init__()` as the first statement in the "
      "`__init__()` method. Go add it!",
      name));
}

}  // namespace

nb::object call_layer(nb::handle self, const nb::args& args, nb::kwargs kwargs) {
  if (!nb::inst_ready(self)) fail_before_init(self);
  const auto layer = nb::cast<std::shared_ptr<LayerImpl>>(self);
  nb::object inputs;
  if (args.size() > 0) {
    inputs = args[0];
  } else if (kwargs.contains("inputs")) {
    inputs = kwargs["inputs"];
    kwargs = nb::borrow<nb::kwargs>(kwargs.attr("copy")());
    PyDict_DelItemString(kwargs.ptr(), "inputs");
  } else {
    throw nb::type_error(fmt::format("layer '{}' ({}): it is called with its inputs.",
                                     layer->name(), layer->class_name())
                             .c_str());
  }
  keras::CallOptions options;
  if (kwargs.contains("training") && !nb::object(kwargs["training"]).is_none())
    options.training = Convert<bool>::from(nb::object(kwargs["training"]));
  PythonLayer* python =
      nb::inst_python_derived(self) ? dynamic_cast<PythonLayer*>(layer.get()) : nullptr;

  if (python == nullptr || !python->overrides(PythonLayer::kCall)) {
    if (args.size() > 1 || kwargs.size() > (kwargs.contains("training") ? 1U : 0U)) {
      for (const auto [key, value] : kwargs)
        if (nb::cast<std::string_view>(key) != "training" && !value.is_none())
          throw nb::type_error(
              fmt::format("layer '{}' ({}): call() got an unexpected argument '{}'.", layer->name(),
                          layer->class_name(), nb::cast<std::string_view>(key))
                  .c_str());
      if (args.size() > 1) options.training = Convert<bool>::from(nb::object(args[1]));
    }
    if (const Tensor* x = held_tensor(inputs);
        x != nullptr && dynamic_cast<keras::ModelImpl*>(layer.get()) == nullptr)
      return wrap(without_lock(work_of(*x), [&] { return layer->run(*x, options); }));
    if (PyList_Check(inputs.ptr()) || PyTuple_Check(inputs.ptr()))
      for (const nb::handle item : inputs)
        if (item.is_none())
          throw nb::value_error(fmt::format("layer '{}' ({}): one of its inputs is None.",
                                            layer->name(), layer->class_name())
                                    .c_str());
    std::vector<Tensor> tensors;
    Structure::flatten(ordered_inputs(*layer, inputs), tensors);
    const std::vector<Tensor> outputs =
        without_lock(tensors.empty() ? 0 : work_of(tensors[0]),
                     [&] { return layer->run_all(tensors, options); });
    return outputs.size() == 1 ? wrap(outputs[0]) : nb::object(wrap_all(outputs));
  }

  if (kwargs.contains("training") && !python->takes_training()) {  // Keras leaves it out, too
    kwargs = nb::borrow<nb::kwargs>(kwargs.attr("copy")());
    PyDict_DelItemString(kwargs.ptr(), "training");
  }
  std::vector<Tensor> tensors;
  python->has_arguments = args.size() > 1 || kwargs.size() > 0;
  if (python->has_arguments) {
    nb::list all;
    all.append(inputs);
    for (size_t i = 1; i < args.size(); ++i) all.append(args[i]);
    python->arguments = Structure::of_call(all, kwargs, tensors);
  } else {
    python->inputs = Structure::flatten(inputs, tensors);
  }
  const std::vector<Tensor> outputs = without_lock(
      tensors.empty() ? 0 : work_of(tensors[0]), [&] { return layer->run_all(tensors, options); });
  return python->results.size() == outputs.size() ? python->results.pack(outputs)
                                                  : nb::object(wrap_all(outputs));
}

namespace {

// Attributes

bool is_layer(nb::handle value) { return PyObject_IsInstance(value.ptr(), layer_type.ptr()) == 1; }

bool is_tracked(const LayerImpl& layer, const LayerImpl* other) {
  for (const Layer& inner : layer.sublayers())
    if (inner.shared().get() == other) return true;
  return false;
}

void track(nb::handle self, nb::handle value) {
  if (is_layer(value)) {
    if (!nb::inst_ready(self)) fail_before_init(self);
    auto& layer = *nb::inst_ptr<LayerImpl>(self);
    const auto inner = nb::cast<std::shared_ptr<LayerImpl>>(value);
    if (inner.get() != &layer && !is_tracked(layer, inner.get()))
      Access::add_layer(layer, Layer(inner));
  } else if (const Variable* variable = held_variable(value)) {
    if (!nb::inst_ready(self)) fail_before_init(self);
    auto& layer = *nb::inst_ptr<LayerImpl>(self);
    for (const Variable& own : layer.own_weights())
      if (own.same_as(*variable)) return;
    (layer.*(&Access::track_weight))(*variable);
  } else if (PyTuple_Check(value.ptr()) || PyList_Check(value.ptr())) {
    for (const nb::handle item : value) track(self, item);
  } else if (PyDict_Check(value.ptr())) {
    for (const auto [key, item] : nb::cast<nb::dict>(value)) track(self, item);
  }
}

void untrack(nb::handle self, nb::handle value) {
  if (!is_layer(value) || !nb::inst_ready(self)) return;
  (nb::inst_ptr<LayerImpl>(self)->*(&Access::untrack))(
      Layer(nb::cast<std::shared_ptr<LayerImpl>>(value)));
}

void set_attribute(nb::handle self, nb::handle name, nb::handle value) {
  nb::object kept = nb::borrow(value);
  if (nb::inst_python_derived(self)) {
    if (nb::inst_ready(self)) {
      const nb::object before = nb::getattr(self.attr("__dict__"), "get")(name);
      if (!before.is_none() && !before.is(value)) untrack(self, before);
    }
    if (PyList_CheckExact(value.ptr()) || PyDict_CheckExact(value.ptr()))
      kept = nb::module_::import_("alula.keras._tracking").attr("tracked")(self, value);
    track(self, kept);
  }
  if (PyObject_GenericSetAttr(self.ptr(), name.ptr(), kept.ptr()) != 0) throw nb::python_error();
}

void delete_attribute(nb::handle self, nb::handle name) {
  const nb::object before = nb::getattr(self.attr("__dict__"), "get")(name);
  if (!before.is_none()) untrack(self, before);
  if (PyObject_GenericSetAttr(self.ptr(), name.ptr(), nullptr) != 0) throw nb::python_error();
}

/// What is no attribute of the object may be an option that it was made with, or a weight.
nb::object find_attribute(nb::handle self, const std::string& name) {
  const LayerKind* kind = name.starts_with("_") ? nullptr : kind_of(self);
  if (kind != nullptr && nb::inst_ready(self)) {
    const LayerImpl& layer = *nb::inst_ptr<LayerImpl>(self);
    for (const auto& [known, weight] : kind->weights)
      if (name == known) {
        const Variable variable = weight(layer);
        return variable.defined() ? object_of(variable) : nb::none();
      }
    nb::object value = kind->table.find(kind->options(layer), given_of(self), name);
    if (value.is_valid() && name == "activation")
      value = nb::module_::import_("alula.keras.activations").attr("get")(value);
    if (value.is_valid()) return value;
  }
  throw nb::attribute_error(
      fmt::format("'{}' object has no attribute '{}'", class_name_of(self), name).c_str());
}

// Configuration

nb::dict get_config(nb::handle self) {
  const LayerImpl& layer = *nb::inst_ptr<LayerImpl>(self);
  nb::dict config;
  config["name"] = layer.name();
  config["trainable"] = layer.trainable();
  config["dtype"] = layer.dtype_policy().name();
  const LayerKind* kind = kind_of(self);
  if (kind == nullptr) return config;
  const nb::object kept = given_of(self);
  kind->table.show(kind->options(layer), kept, config);
  config["name"] = layer.name();
  config["trainable"] = layer.trainable();
  config["dtype"] = layer.dtype_policy().name();
  return config;
}

// Weights

nb::list wrap_variables(const std::vector<Variable>& variables) {
  nb::list list;
  for (const Variable& variable : variables) list.append(object_of(variable));
  return list;
}

nb::object add_weight(nb::handle self, nb::handle shape, nb::handle initializer, nb::handle dtype,
                      bool trainable, bool, nb::handle regularizer, nb::handle constraint,
                      nb::handle, nb::handle name) {
  if (!nb::inst_ready(self)) fail_before_init(self);
  auto& layer = *nb::inst_ptr<LayerImpl>(self);
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

// Shapes

void build(nb::handle self, nb::handle input_shape) {
  const auto layer = nb::cast<std::shared_ptr<LayerImpl>>(self);
  auto* python = dynamic_cast<PythonLayer*>(layer.get());
  std::vector<Shape> shapes;
  const bool several = (PyList_Check(input_shape.ptr()) || PyTuple_Check(input_shape.ptr())) &&
                       nb::len(input_shape) > 0 && !nb::object(input_shape[0]).is_none() &&
                       PyLong_Check(nb::object(input_shape[0]).ptr()) == 0;
  if (several)
    for (const nb::handle shape : input_shape) shapes.push_back(to_shape(shape));
  else
    shapes.push_back(to_shape(input_shape));
  if (python != nullptr && python->overrides(PythonLayer::kBuild)) {
    python->base_build(shapes[0]);  // by super().build(input_shape)
    return;
  }
  if (layer->built()) return;
  // A model of Python's makes the weights of its layers by calling them.
  if (python != nullptr && dynamic_cast<keras::ModelImpl*>(layer.get()) != nullptr) {
    std::vector<Tensor> inputs;
    for (const Shape& shape : shapes) {
      keras::InputOptions options{.shape = shape.slice(1, shape.rank()), .name = "input"};
      if (shape[0] != kUnknown) options.batch_size = shape[0];
      inputs.push_back(keras::Input(options));
    }
    python->has_arguments = false;
    layer->run_all(inputs, {});
    return;
  }
  layer->ensure_built(shapes);
}

nb::object compute_output_shape(nb::handle self, nb::handle input_shape) {
  auto layer = nb::cast<std::shared_ptr<LayerImpl>>(self);
  if (!layer->built() && !nb::inst_python_derived(self)) layer = layer->copy();
  const Shape shape = to_shape(input_shape);
  keras::InputOptions options{.shape = shape.slice(1, shape.rank()), .name = "input"};
  if (shape[0] != kUnknown) options.batch_size = shape[0];
  nb::list shapes;
  for (const Tensor& output : layer->run_all({keras::Input(options)}, {}))
    shapes.append(shape_tuple(output.shape()));
  return nb::len(shapes) == 1 ? nb::object(shapes[0]) : nb::object(shapes);
}

nb::object noted(nb::handle self, const std::vector<Tensor>& tensors, const char* what) {
  if (tensors.empty())
    throw nb::attribute_error(
        fmt::format("The layer '{}' has never been called and thus has no defined {}.",
                    nb::inst_ptr<LayerImpl>(self)->name(), what)
            .c_str());
  return tensors.size() == 1 ? wrap(tensors[0]) : nb::object(wrap_all(tensors));
}

nb::object call_directly(nb::handle self, nb::handle inputs, const nb::args&, const nb::kwargs&) {
  const auto layer = nb::cast<std::shared_ptr<LayerImpl>>(self);
  std::vector<Tensor> tensors;
  Structure::flatten(inputs, tensors);
  auto* python = dynamic_cast<PythonLayer*>(layer.get());
  const std::vector<Tensor> outputs =
      python != nullptr ? python->base_call(tensors)
      : tensors.size() == 1 && dynamic_cast<keras::ModelImpl*>(layer.get()) == nullptr
          ? std::vector<Tensor>{layer->call(tensors[0])}
          : layer->call_all(tensors);
  return outputs.size() == 1 ? wrap(outputs[0]) : nb::object(wrap_all(outputs));
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
  layer_type = type;
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
      .def("build", &build, "input_shape"_a, "Makes the weights for inputs of this shape.")
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
