#pragma once
#include "python/src/keras_convert.h"

/// Layers as Python sees them: the object of Python is the layer itself, and a class written in
/// Python may derive from any of them.
namespace alula::python {

using keras::Layer;
using keras::LayerImpl;

/// Values in tuples, lists and dicts, taken apart into tensors. The form that is left has a mark
/// where each tensor was; a single tensor has none, and is null.
class Structure {
 public:
  Structure() = default;
  /// Appends the tensors of a value. A list of plain numbers is one tensor.
  static Structure flatten(nb::handle value, std::vector<Tensor>& tensors);
  /// The same, of arrays that stay as they are while the tensors live.
  static Structure alias(nb::handle value, std::vector<Tensor>& tensors);
  /// Of the arguments of a call: what is no tensor stays in the form.
  static Structure of_call(nb::handle args, nb::handle kwargs, std::vector<Tensor>& tensors);

  /// From a form with marks (Ellipsis).
  static Structure of_form(nb::handle form);

  bool is_single() const { return !form_; }
  size_t size() const { return size_; }
  nb::handle form() const { return form_.get(); }
  /// Puts as many tensors into the form.
  nb::object pack(const std::vector<Tensor>& tensors) const;
  /// The same with any objects.
  nb::object pack_objects(nb::handle list) const;

 private:
  Structure(nb::handle form, size_t size) : form_(form), size_(size) {}
  Held form_;
  size_t size_ = 1;
};

/// The part of a layer whose class is written in Python. The C++ object lies inside of the Python
/// object, which therefore outlives it.
class PythonLayer {
 public:
  enum Method : uint8_t { kBuild = 1, kCall = 2, kCopy = 4, kLayers = 8 };
  explicit PythonLayer(nb::handle self);
  virtual ~PythonLayer() = default;

  nb::handle self() const { return self_; }
  /// Whether `call` wants to know if it is training.
  bool takes_training() const { return takes_training_; }
  bool overrides(Method method) const { return (overridden_ & method) != 0; }
  /// What the class derives from does, rather than the class itself.
  virtual void base_build(const Shape& input) = 0;
  virtual std::vector<Tensor> base_call(const std::vector<Tensor>& inputs) = 0;

  /// How the arguments of the last call looked, and what it gave.
  Structure arguments, inputs, results;
  /// Whether `arguments` has more than the inputs: further arguments of `call`.
  bool has_arguments = false;

  std::vector<Tensor> call_in_python(const std::vector<Tensor>& inputs, bool training);
  void build_in_python(const std::vector<Shape>& inputs) const;
  std::shared_ptr<LayerImpl> copy_in_python() const;

 private:
  nb::handle self_;  // borrowed
  uint8_t overridden_ = 0;
  bool takes_training_ = false;
};

/// A class of layers that Python may derive from.
template <class Base>
class PyLayer final : public Base, public PythonLayer {
 public:
  template <class... Arguments>
  explicit PyLayer(nb::handle self, const Arguments&... arguments)
      : Base(arguments...), PythonLayer(self) {}

  void build(const Shape& input) override { build_all({input}); }
  void build_all(const std::vector<Shape>& inputs) override {
    if (overrides(kBuild))
      build_in_python(inputs);
    else if (inputs.size() == 1)
      Base::build(inputs[0]);
    else
      Base::build_all(inputs);
  }
  Tensor call(const Tensor& x) override {
    const std::vector<Tensor> results = call_all({x});
    require(results.size() == 1, "layer '{}': it has {} outputs where one is wanted.", this->name(),
            results.size());
    return results[0];
  }
  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs) override {
    return overrides(kCall) ? call_in_python(inputs, this->training()) : base_call(inputs);
  }
  std::shared_ptr<LayerImpl> copy() const override { return copy_in_python(); }

  void base_build(const Shape& input) override { Base::build(input); }
  std::vector<Tensor> base_call(const std::vector<Tensor>& inputs) override {
    if (inputs.size() == 1) return {Base::call(inputs[0])};
    return Base::call_all(inputs);
  }
};

/// What is known of a class of layers.
struct LayerKind {
  using WeightOf = std::pair<const char*, Variable (*)(const LayerImpl&)>;
  Table table;
  const void* (*options)(const LayerImpl&);
  std::vector<WeightOf> weights;
};
void add_kind(nb::handle type, const LayerKind* kind);

template <auto kMember>
struct OwnerOf;
template <class Impl, Variable Impl::* kMember>
struct OwnerOf<kMember> {
  using type = Impl;
};
/// A weight as an attribute: weight<&DenseImpl::kernel>("kernel").
template <auto kMember>
LayerKind::WeightOf weight(const char* name) {
  return {name, [](const LayerImpl& layer) -> Variable {
            return static_cast<const typename OwnerOf<kMember>::type&>(layer).*kMember;
          }};
}

/// The ways to say the shape of an example; they write to the option at that offset.
std::vector<Field> input_shape_fields(size_t offset);

/// The arguments that all layers have, behind a class's own.
template <class Options>
std::vector<Field> with_common_fields(std::vector<Field> fields) {
  fields.push_back(missing("activity_regularizer"));
  for (const char* name : {"kernel_constraint", "bias_constraint", "autocast"})
    if (std::none_of(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; }))
      fields.push_back(keyword(missing(name)));
  fields.back().keyword_only = true;
  fields.push_back(keyword(field("name", &Options::name)));
  fields.push_back(keyword(field("trainable", &Options::trainable)));
  fields.push_back(keyword(field("dtype", &Options::dtype)));
  for (Field& shape : input_shape_fields(offset_of(&Options::input_shape)))
    if (std::none_of(fields.begin(), fields.end(),
                     [&](const Field& f) { return f.name == shape.name; }))
      fields.push_back(shape);
  return fields;
}
/// The name of a Python object's class.
std::string class_name_of(nb::handle self);

/// Makes a class of layers from the table of its arguments.
template <class Impl>
void def_layer(nb::module_& m, const char* name, const char* doc, std::vector<Field> fields,
               std::vector<LayerKind::WeightOf> weights = {}) {
  using Options = typename Impl::Options;
  static const LayerKind kind{Table(name, with_common_fields<Options>(std::move(fields))),
                              [](const LayerImpl& layer) -> const void* {
                                return &static_cast<const Impl&>(layer).options;
                              },
                              std::move(weights)};
  static const std::string signature = [] {
    const Options defaults{};
    return kind.table.signature(&defaults);
  }();
  nb::class_<Impl, LayerImpl, PyLayer<Impl>> type(m, name, doc);
  type.def(
      "__init__",
      [](nb::pointer_and_handle<Impl> self, const nb::args& args, const nb::kwargs& kwargs) {
        Options options;
        nb::object kept;
        kind.table.read(&options, args, kwargs, kept);
        if (nb::inst_python_derived(self.h))
          new (static_cast<void*>(self.p)) PyLayer<Impl>(self.h, options);
        else
          new (static_cast<void*>(self.p)) Impl(options);
        self.p->set_class(class_name_of(self.h));
        set_given(self.h, kept);
      },
      nb::sig(signature.c_str()));
  add_kind(type, &kind);
}

/// A call of a layer with tensors, arrays or symbolic inputs.
nb::object call_layer(nb::handle self, const nb::args& args, nb::kwargs kwargs);
/// The inputs of a model by name as a list in its order; anything else as it is.
nb::object ordered_inputs(LayerImpl& layer, nb::handle inputs);

void bind_keras_layer(nb::module_& m);
void bind_keras_layers(nb::module_& m);
void bind_keras_model(nb::module_& m);
void bind_keras_losses(nb::module_& m);
void bind_keras_metrics(nb::module_& m);
void bind_keras_optimizers(nb::module_& m);
void bind_keras_mixed_precision(nb::module_& m);
void bind_keras_callbacks(nb::module_& m);
void bind_keras_functions(nb::module_& m);
void bind_keras_output(nb::module_& m);

}  // namespace alula::python
