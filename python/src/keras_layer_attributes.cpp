#include <unordered_map>

#include "python/src/keras_layer_methods.h"
#include "python/src/tensor.h"

namespace alula::python {
namespace {

/// What layers only let those use that derive from them.
struct Access : LayerImpl {
  using LayerImpl::track_weight;
  using LayerImpl::untrack;
  static void add_layer(LayerImpl& layer, const Layer& inner) {
    (layer.*static_cast<void (LayerImpl::*)(const Layer&)>(&Access::track<Layer>))(inner);
  }
};

std::unordered_map<PyObject*, const LayerKind*>& kinds() {
  static std::unordered_map<PyObject*, const LayerKind*> all;
  return all;
}

const LayerKind* kind_of(nb::handle self) {
  for (const nb::handle type : nb::borrow<nb::tuple>(self.type().attr("__mro__")))
    if (const auto found = kinds().find(type.ptr()); found != kinds().end()) return found->second;
  return nullptr;
}

bool is_tracked(const LayerImpl& layer, const LayerImpl* other) {
  for (const Layer& inner : layer.sublayers())
    if (inner.shared().get() == other) return true;
  return false;
}

}  // namespace

void add_kind(nb::handle type, const LayerKind* kind) { kinds()[type.ptr()] = kind; }

void track(nb::handle self, nb::handle value) {
  if (nb::isinstance<LayerImpl>(value)) {
    LayerImpl& layer = initialized(self);
    const auto inner = nb::cast<std::shared_ptr<LayerImpl>>(value);
    if (inner.get() != &layer && !is_tracked(layer, inner.get()))
      Access::add_layer(layer, Layer(inner));
  } else if (const Variable* variable = held_variable(value)) {
    LayerImpl& layer = initialized(self);
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
  if (!nb::isinstance<LayerImpl>(value) || !nb::inst_ready(self)) return;
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

nb::dict get_config(nb::handle self) {
  const LayerImpl& layer = *nb::inst_ptr<LayerImpl>(self);
  nb::dict config;
  const auto set_common = [&] {
    config["name"] = layer.name();
    config["trainable"] = layer.trainable();
    config["dtype"] = layer.dtype_policy().name();
  };
  set_common();
  if (const LayerKind* kind = kind_of(self)) {
    kind->table.show(kind->options(layer), given_of(self), config);
    set_common();  // as they are now, not as they were given
  }
  return config;
}

}  // namespace alula::python
