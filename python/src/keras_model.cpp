#include "python/src/keras_model.h"

#include "python/src/ops.h"

namespace alula::python {

using namespace alula::keras;

// PyModel

PyModel::PyModel(nb::handle self, const LayerOptions& options,
                 std::shared_ptr<FunctionalImpl> functional)
    : ModelImpl(options), PythonLayer(self), functional_(std::move(functional)) {
  if (functional_ == nullptr) return;
  for (const Layer& layer : functional_->layers()) track(layer);
  set_built();
}

void PyModel::build_all(const std::vector<Shape>& inputs) {
  if (overrides(kBuild)) build_in_python(inputs);
}

std::vector<Tensor> PyModel::base_call(const std::vector<Tensor>& inputs) {
  if (functional_ != nullptr) return functional_->call_all(inputs);
  fail<UnimplementedError>(
      "model '{}' ({}): it says nothing of how it is called. Override call(self, inputs), or make "
      "it "
      "with Model(inputs, outputs).",
      name(), class_name());
}

std::vector<Tensor> PyModel::call_all(const std::vector<Tensor>& inputs) {
  return overrides(kCall) ? call_in_python(inputs, training()) : base_call(inputs);
}

Tensor PyModel::call(const Tensor& x) {
  const std::vector<Tensor> results = call_all({x});
  require(results.size() == 1, "model '{}': it has {} outputs where one is wanted.", name(),
          results.size());
  return results[0];
}

std::shared_ptr<LayerImpl> PyModel::copy() const {
  const bool plain = functional_ != nullptr && !overrides(kCall) && class_name() == "Functional";
  if (!plain) return copy_in_python();
  const auto inner = std::static_pointer_cast<FunctionalImpl>(functional_->copy());
  const nb::gil_scoped_acquire lock;
  nb::object made = self().type()("inputs"_a = wrap_all(inner->inputs()),
                                  "outputs"_a = wrap_all(inner->outputs()), "name"_a = name(),
                                  "dtype"_a = dtype_policy().name());
  return nb::cast<std::shared_ptr<LayerImpl>>(made);
}

Tensor PyModel::prepare(const Tensor& input) const {
  return functional_ != nullptr ? functional_->prepare(input) : ModelImpl::prepare(input);
}

std::vector<LayerRow> PyModel::rows() const {
  return functional_ != nullptr ? functional_->rows() : ModelImpl::rows();
}

bool PyModel::is_branched() const { return functional_ != nullptr && functional_->is_branched(); }

std::vector<std::string> PyModel::output_names() const {
  return functional_ != nullptr ? functional_->output_names() : ModelImpl::output_names();
}

const FunctionalImpl* functional_of(const LayerImpl& layer) {
  if (const auto* model = dynamic_cast<const PyModel*>(&layer)) return model->functional();
  return dynamic_cast<const FunctionalImpl*>(&layer);
}

nb::object ordered_inputs(LayerImpl& layer, nb::handle inputs) {
  if (!PyDict_Check(inputs.ptr())) return nb::borrow(inputs);
  const FunctionalImpl* functional = functional_of(layer);
  if (functional == nullptr) return nb::borrow(inputs);
  nb::list ordered;
  for (const Tensor& input : functional->inputs()) {
    const std::string& name = input_layer_of(input).name();
    if (!nb::cast<nb::dict>(inputs).contains(name.c_str()))
      throw nb::value_error(fmt::format("model '{}': it has an input '{}'. Got {}.", layer.name(),
                                        name, nb::repr(inputs.attr("keys")()).c_str())
                                .c_str());
    ordered.append(nb::object(inputs[name.c_str()]));
  }
  return ordered.size() == 1 ? nb::object(ordered[0]) : nb::object(ordered);
}

namespace {

std::vector<Tensor> symbolic_list(nb::handle value) {
  std::vector<Tensor> tensors;
  Structure::flatten(value, tensors);
  return tensors;
}

void init_model(nb::pointer_and_handle<ModelImpl> self, const nb::args& args,
                const nb::kwargs& kwargs) {
  LayerOptions options;
  nb::object inputs, outputs;
  if (args.size() > 0) inputs = args[0];
  if (args.size() > 1) outputs = args[1];
  if (args.size() > 2) options.name = nb::cast<std::string>(args[2]);
  for (const auto [key, value] : kwargs) {
    const auto name = nb::cast<std::string_view>(key);
    if (name == "inputs")
      inputs = nb::borrow(value);
    else if (name == "outputs")
      outputs = nb::borrow(value);
    else if (name == "name")
      options.name = Convert<std::string>::from(value);
    else if (name == "trainable")
      options.trainable = Convert<bool>::from(value);
    else if (name == "dtype")
      options.dtype = Convert<Setting<Policy>>::from(value);
    else
      throw nb::type_error(
          fmt::format(
              "{}() got an unexpected keyword argument '{}'. It takes inputs, outputs, name, "
              "trainable and dtype.",
              class_name_of(self.h), name)
              .c_str());
  }
  if (inputs.is_valid() != outputs.is_valid())
    throw nb::type_error("Model: it needs inputs and outputs, or neither.");
  std::shared_ptr<FunctionalImpl> functional;
  const bool derived = nb::inst_python_derived(self.h);
  if (inputs.is_valid()) {
    functional =
        std::make_shared<FunctionalImpl>(symbolic_list(inputs), symbolic_list(outputs), "inner");
  } else if (!derived) {
    throw nb::type_error("Model: give it inputs and outputs, or derive a class from it.");
  }
  auto* model = new (static_cast<void*>(self.p)) PyModel(self.h, options, std::move(functional));
  model->set_class(derived ? class_name_of(self.h) : "Functional");
  if (derived) set_own_steps(self.h, *model);
}

Layer as_layer(nb::handle value, nb::handle model) {
  if (value.is(model)) throw nb::value_error("Sequential: a model cannot be a layer of itself.");
  if (const Tensor* tensor = held_tensor(value)) return Layer(*tensor);  // what Input gave
  std::shared_ptr<LayerImpl> layer;
  if (!nb::try_cast(value, layer) || layer == nullptr)
    throw nb::value_error(fmt::format("Sequential: only layers can be added. Got {} (of type {}).",
                                      nb::repr(value).c_str(),
                                      nb::repr(nb::handle(value.type())).c_str())
                              .c_str());
  return Layer(layer);
}

void init_sequential(nb::pointer_and_handle<SequentialImpl> self, nb::handle layers,
                     nb::handle trainable, const std::optional<std::string>& name) {
  std::vector<Layer> list;
  if (!layers.is_none()) {
    if (PyList_Check(layers.ptr()) || PyTuple_Check(layers.ptr()))
      for (const nb::handle layer : layers) list.push_back(as_layer(layer, self.h));
    else
      list.push_back(as_layer(layers, self.h));
  }
  new (static_cast<void*>(self.p)) SequentialImpl(std::move(list), name.value_or(""));
  self.p->set_class(class_name_of(self.h));
  if (trainable.is(Py_False)) self.p->set_trainable(false);
}

nb::object inputs_of(const ModelImpl& self, const char* what) {
  if (const FunctionalImpl* functional = functional_of(self)) return wrap_all(functional->inputs());
  const auto* sequential = dynamic_cast<const SequentialImpl*>(&self);
  if (sequential != nullptr && sequential->input().defined())
    return nb::make_tuple(wrap(sequential->input()));
  throw nb::attribute_error(
      fmt::format("The model '{}' has never been called and thus has no defined {}.", self.name(),
                  what)
          .c_str());
}

nb::object outputs_of(const ModelImpl& self, const char* what) {
  if (const FunctionalImpl* functional = functional_of(self))
    return wrap_all(functional->outputs());
  const auto* sequential = dynamic_cast<const SequentialImpl*>(&self);
  if (sequential != nullptr && sequential->output().defined())
    return nb::make_tuple(wrap(sequential->output()));
  throw nb::attribute_error(
      fmt::format("The model '{}' has never been called and thus has no defined {}.", self.name(),
                  what)
          .c_str());
}

nb::object one_or_all(const nb::object& list) {
  return nb::len(list) == 1 ? nb::object(list[0]) : nb::object(nb::list(list));
}

nb::object shapes_of(const nb::object& tensors) {
  nb::list shapes;
  for (const nb::handle tensor : tensors) shapes.append(shape_tuple(held_tensor(tensor)->shape()));
  return one_or_all(shapes);
}

std::shared_ptr<LayerImpl> get_layer(std::shared_ptr<ModelImpl> self, nb::handle name,
                                     nb::handle index) {
  const Model model(std::move(self));
  if (!index.is_none()) return model.get_layer(nb::cast<int64_t>(index)).shared();
  if (name.is_none()) throw nb::value_error("get_layer: give a name or an index.");
  return model.get_layer(nb::cast<std::string>(name)).shared();
}

nb::list layers_of(const ModelImpl& self) {
  nb::list layers;
  for (const Layer& layer : self.layers()) layers.append(nb::cast(layer.shared()));
  return layers;
}

void summary(std::shared_ptr<ModelImpl> self, nb::handle line_length, nb::handle,
             nb::handle print_fn, bool expand_nested, bool show_trainable, nb::handle) {
  SummaryOptions options{.expand_nested = expand_nested, .show_trainable = show_trainable};
  options.line_length = Convert<Setting<int64_t>>::from(line_length);
  if (!print_fn.is_none())
    options.print_fn = [&](const std::string& text) { print_fn(nb::str(text.c_str())); };
  Model(std::move(self)).summary(options);
}

Tensor make_input(nb::handle shape, nb::handle batch_size, nb::handle dtype, nb::handle sparse,
                  nb::handle batch_shape, nb::handle name, nb::handle tensor) {
  if ((!sparse.is_none() && !sparse.is(Py_False)) || !tensor.is_none())
    throw nb::value_error("Input: sparse and tensor are not supported. Leave them out.");
  InputOptions options;
  options.batch_size = Convert<Setting<int64_t>>::from(batch_size);
  options.dtype = Convert<Setting<DType>>::from(dtype);
  options.name = Convert<std::string>::from(name);
  if (!batch_shape.is_none()) {
    const Shape all = to_shape(batch_shape);
    require(all.rank() > 0, "Input: batch_shape begins with the size of the batch. Got {}.", all);
    options.shape = all.slice(1, all.rank());
    if (all[0] != kUnknown) options.batch_size = all[0];
  } else {
    if (shape.is_none()) throw nb::value_error("Input: give a shape, or batch_shape.");
    options.shape = to_shape(shape);
  }
  return keras::Input(options);
}

}  // namespace

void bind_keras_model(nb::module_& m) {
  nb::class_<ModelImpl, LayerImpl, PyModel> type(
      m, "Model",
      "A layer that can be trained: from inputs and outputs, or a class of one's own that "
      "overrides "
      "`call`.\n\n"
      ">>> x = tf.keras.Input((3,))\n>>> model = tf.keras.Model(x, tf.keras.layers.Dense(2)(x))\n"
      ">>> model.count_params()\n8");
  type.def("__init__", &init_model, "args"_a, "kwargs"_a)
      .def_prop_ro("layers", &layers_of)
      .def("get_layer", &get_layer, "name"_a = nb::none(), "index"_a = nb::none(),
           "The layer of that name or at that place.")
      .def_prop_ro("inputs",
                   [](const ModelImpl& self) { return nb::list(inputs_of(self, "inputs")); })
      .def_prop_ro("outputs",
                   [](const ModelImpl& self) { return nb::list(outputs_of(self, "outputs")); })
      .def_prop_ro("input",
                   [](const ModelImpl& self) { return one_or_all(inputs_of(self, "input")); })
      .def_prop_ro("output",
                   [](const ModelImpl& self) { return one_or_all(outputs_of(self, "output")); })
      .def_prop_ro("input_shape",
                   [](const ModelImpl& self) { return shapes_of(inputs_of(self, "input")); })
      .def_prop_ro("output_shape",
                   [](const ModelImpl& self) { return shapes_of(outputs_of(self, "output")); })
      .def_prop_ro("output_names", &ModelImpl::output_names)
      .def("summary", &summary, "line_length"_a = nb::none(), "positions"_a = nb::none(),
           "print_fn"_a = nb::none(), "expand_nested"_a = false, "show_trainable"_a = false,
           "layer_range"_a = nb::none(), "Prints the layers with their output shapes and sizes.")
      .def(
          "save_weights",
          [](std::shared_ptr<ModelImpl> self, const std::string& path, bool overwrite) {
            if (!overwrite && nb::cast<bool>(nb::module_::import_("os.path").attr("exists")(path)))
              throw nb::value_error(
                  fmt::format("save_weights: {} is there already.", path).c_str());
            without_lock([&] {
              Model(std::move(self)).save_weights(path);
              return 0;
            });
          },
          "filepath"_a, "overwrite"_a = true, "Writes the weights to a safetensors file.")
      .def(
          "load_weights",
          [](std::shared_ptr<ModelImpl> self, const std::string& path, const nb::kwargs&) {
            without_lock([&] {
              Model(std::move(self)).load_weights(path);
              return 0;
            });
          },
          "filepath"_a, "kwargs"_a, "Reads weights that save_weights() wrote.")
      .def(
          "save",
          [](nb::handle, const nb::args&, const nb::kwargs&) {
            throw UnimplementedError(
                "save: whole models cannot be saved yet. Use save_weights(), and make the model "
                "anew before load_weights().");
          },
          "args"_a, "kwargs"_a);
  bind_keras_training(type);
  nb::class_<FunctionalImpl, ModelImpl>(m, "Functional", "A model made of calls that were noted.");
  nb::class_<SequentialImpl, ModelImpl>(
      m, "Sequential",
      "A model that calls one layer after another.\n\n"
      ">>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])\n"
      ">>> model.output_shape\n(None, 1)")
      .def("__init__", &init_sequential, "layers"_a = nb::none(), "trainable"_a = true,
           "name"_a = nb::none())
      .def(
          "add",
          [](nb::handle self, nb::handle layer, bool) {
            nb::inst_ptr<SequentialImpl>(self)->add(as_layer(layer, self));
          },
          "layer"_a.none(), "rebuild"_a = true, "Adds a layer at the end.")
      .def(
          "pop", [](SequentialImpl& self, bool) { self.pop(); }, "rebuild"_a = true,
          "Takes the last layer away.");
  nb::class_<InputLayerImpl, LayerImpl>(m, "InputLayer", "The layer behind `Input`.")
      .def(
          "__init__",
          [](InputLayerImpl* self, nb::handle shape, nb::handle batch_size, nb::handle dtype,
             nb::handle batch_shape, nb::handle name, nb::handle input_shape) {
            const nb::handle given = shape.is_none() ? input_shape : shape;
            const Tensor input =
                make_input(given, batch_size, dtype, nb::none(), batch_shape, name, nb::none());
            auto layer = std::static_pointer_cast<InputLayerImpl>(input_layer_of(input).shared());
            InputOptions options = layer->options;
            options.name = layer->name();
            new (self) InputLayerImpl(options);
            self->set_class("InputLayer");
          },
          "shape"_a = nb::none(), "batch_size"_a = nb::none(), "dtype"_a = nb::none(),
          "batch_shape"_a = nb::none(), "name"_a = nb::none(), "input_shape"_a = nb::none());
  m.def(
      "Input",
      [](nb::handle shape, nb::handle batch_size, nb::handle dtype, nb::handle sparse,
         nb::handle batch_shape, nb::handle name, nb::handle tensor) {
        return wrap(make_input(shape, batch_size, dtype, sparse, batch_shape, name, tensor));
      },
      "shape"_a = nb::none(), "batch_size"_a = nb::none(), "dtype"_a = nb::none(),
      "sparse"_a = nb::none(), "batch_shape"_a = nb::none(), "name"_a = nb::none(),
      "tensor"_a = nb::none(),
      "A tensor that stands for the inputs of a model to be.\n\n"
      ">>> tf.keras.Input((28, 28, 1)).shape\nTensorShape([None, 28, 28, 1])");
  m.def(
      "clone_model",
      [](const ModelImpl& model, nb::handle input_tensors, nb::handle clone_function,
         const nb::kwargs&) {
        if (!input_tensors.is_none() || !clone_function.is_none())
          throw UnimplementedError(
              "clone_model: input_tensors and clone_function are not supported. Leave them out.");
        return model.copy();
      },
      "model"_a, "input_tensors"_a = nb::none(), "clone_function"_a = nb::none(), "kwargs"_a,
      "A model of the same layers, with fresh weights, and not compiled.");
  m.def("clear_session", &keras::backend::clear_session, "Starts the numbers of names again.");
}

}  // namespace alula::python
