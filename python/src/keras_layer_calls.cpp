#include <algorithm>

#include "alula/graph/trace.h"
#include "python/src/keras_layer_methods.h"
#include "python/src/ops.h"

namespace alula::python {
namespace {

/// Whether a class's method is its own, and not the one that all layers have.
bool is_own(nb::handle type, const char* method) {
  return !nb::object(type.attr(method)).is(nb::object(nb::type<LayerImpl>().attr(method)));
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
  nb::object result = nb::steal(PyObject_Call(function.ptr(), nb::tuple(args).ptr(), kwargs.ptr()));
  if (!result.is_valid()) throw nb::python_error();
  return result;
}

}  // namespace

nb::object wrap_outputs(const std::vector<Tensor>& tensors) {
  return tensors.size() == 1 ? wrap(tensors[0]) : nb::object(wrap_all(tensors));
}

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
      first = wrap_outputs(values);
    }
    if (takes_training_ && !kwargs.contains("training")) kwargs["training"] = training;
    const nb::object result = call_with(as_traced(self_.attr("call")), first, rest, kwargs);
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

namespace {

nb::kwargs without(const nb::kwargs& kwargs, const char* name) {
  auto others = nb::borrow<nb::kwargs>(kwargs.attr("copy")());
  PyDict_DelItemString(others.ptr(), name);
  return others;
}

/// The first argument, or the one named `inputs`, which is taken out of the others.
nb::object take_inputs(const LayerImpl& layer, const nb::args& args, nb::kwargs& kwargs) {
  if (args.size() > 0) return args[0];
  if (!kwargs.contains("inputs"))
    throw nb::type_error(fmt::format("layer '{}' ({}): it is called with its inputs.", layer.name(),
                                     layer.class_name())
                             .c_str());
  nb::object inputs = kwargs["inputs"];
  kwargs = without(kwargs, "inputs");
  return inputs;
}

std::vector<Tensor> run(LayerImpl& layer, const std::vector<Tensor>& tensors,
                        const keras::CallOptions& options) {
  return without_lock(tensors.empty() ? 0 : work_of(tensors[0]),
                      [&] { return layer.run_all(tensors, options); });
}

/// C++'s `call` takes nothing but the inputs and `training`, which may be the second argument.
void read_training(const LayerImpl& layer, const nb::args& args, const nb::kwargs& kwargs,
                   keras::CallOptions& options) {
  for (const auto [key, value] : kwargs)
    if (nb::cast<std::string_view>(key) != "training" && !value.is_none())
      throw nb::type_error(fmt::format("layer '{}' ({}): call() got an unexpected argument '{}'.",
                                       layer.name(), layer.class_name(),
                                       nb::cast<std::string_view>(key))
                               .c_str());
  if (args.size() > 1) options.training = Convert<bool>::from(nb::object(args[1]));
}

/// A layer whose `call` is C++.
nb::object call_native(LayerImpl& layer, nb::handle inputs, const keras::CallOptions& options) {
  if (const Tensor* x = held_tensor(inputs);
      x != nullptr && dynamic_cast<keras::ModelImpl*>(&layer) == nullptr)
    return wrap(without_lock(work_of(*x), [&] { return layer.run(*x, options); }));
  if (PyList_Check(inputs.ptr()) || PyTuple_Check(inputs.ptr()))
    for (const nb::handle item : inputs)
      if (item.is_none())
        throw nb::value_error(fmt::format("layer '{}' ({}): one of its inputs is None.",
                                          layer.name(), layer.class_name())
                                  .c_str());
  std::vector<Tensor> tensors;
  Structure::flatten(ordered_inputs(layer, inputs), tensors);
  return wrap_outputs(run(layer, tensors, options));
}

/// A layer whose `call` is Python: it notes the form of what it is called with.
nb::object call_overridden(LayerImpl& layer, PythonLayer& python, nb::handle inputs,
                           const nb::args& args, nb::kwargs kwargs,
                           const keras::CallOptions& options) {
  if (kwargs.contains("training") && !python.takes_training())  // Keras leaves it out, too
    kwargs = without(kwargs, "training");
  std::vector<Tensor> tensors;
  python.has_arguments = args.size() > 1 || kwargs.size() > 0;
  if (python.has_arguments) {
    nb::list all;
    all.append(inputs);
    for (size_t i = 1; i < args.size(); ++i) all.append(args[i]);
    python.arguments = Structure::of_call(all, kwargs, tensors);
  } else {
    python.inputs = Structure::flatten(inputs, tensors);
  }
  const std::vector<Tensor> outputs = run(layer, tensors, options);
  return python.results.size() == outputs.size() ? python.results.pack(outputs)
                                                 : nb::object(wrap_all(outputs));
}

}  // namespace

nb::object call_layer(nb::handle self, const nb::args& args, nb::kwargs kwargs) {
  initialized(self);
  const auto layer = nb::cast<std::shared_ptr<LayerImpl>>(self);
  const nb::object inputs = take_inputs(*layer, args, kwargs);
  keras::CallOptions options;
  if (kwargs.contains("training") && !nb::object(kwargs["training"]).is_none())
    options.training = Convert<bool>::from(nb::object(kwargs["training"]));
  PythonLayer* python =
      nb::inst_python_derived(self) ? dynamic_cast<PythonLayer*>(layer.get()) : nullptr;
  if (python != nullptr && python->overrides(PythonLayer::kCall))
    return call_overridden(*layer, *python, inputs, args, std::move(kwargs), options);
  read_training(*layer, args, kwargs, options);
  return call_native(*layer, inputs, options);
}

namespace {

/// What stands for an input of this shape, the batch included.
Tensor symbolic_input(const Shape& shape) {
  keras::InputOptions options{.shape = shape.slice(1, shape.rank()), .name = "input"};
  if (shape[0] != kUnknown) options.batch_size = shape[0];
  return keras::Input(options);
}

}  // namespace

void build_layer(nb::handle self, nb::handle input_shape) {
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
    for (const Shape& shape : shapes) inputs.push_back(symbolic_input(shape));
    python->has_arguments = false;
    layer->run_all(inputs, {});
    return;
  }
  layer->ensure_built(shapes);
}

nb::object compute_output_shape(nb::handle self, nb::handle input_shape) {
  auto layer = nb::cast<std::shared_ptr<LayerImpl>>(self);
  if (!layer->built() && !nb::inst_python_derived(self)) layer = layer->copy();
  nb::list shapes;
  for (const Tensor& output : layer->run_all({symbolic_input(to_shape(input_shape))}, {}))
    shapes.append(shape_tuple(output.shape()));
  return nb::len(shapes) == 1 ? nb::object(shapes[0]) : nb::object(shapes);
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
  return wrap_outputs(outputs);
}

}  // namespace alula::python
