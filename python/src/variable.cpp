#include <unordered_map>

#include "python/src/compat.h"
#include "python/src/dtype.h"
#include "python/src/function.h"
#include "python/src/tensor.h"

namespace alula::python {
namespace {

Variable& self_of(nb::handle self) { return *nb::inst_ptr<Variable>(self); }

std::string repr(const Variable& variable) {
  if (is_graph_variable(variable))
    return fmt::format("<tf.Variable '{}:0' shape={} dtype={}>", variable.name(),
                       nb::repr(nb::tuple(wrap(variable.shape()))).c_str(), variable.dtype());
  return fmt::format("<tf.Variable '{}:0' shape={} dtype={}, numpy={}>", variable.name(),
                     nb::repr(nb::tuple(wrap(variable.shape()))).c_str(), variable.dtype(),
                     values_text(variable.storage()));
}

/// An initial value may be given by a function that makes it.
nb::object initial(nb::handle value) {
  if (PyCallable_Check(value.ptr()) != 0 && !is_tensor_like(value)) return value();
  return nb::borrow(value);
}

/// Changes a variable; for a graph that is being built, gives a tensor that does so when it is run.
template <void (Variable::*kAssign)(const Tensor&),
          Tensor (*kAssignLater)(const v1::Variable&, const Tensor&)>
nb::object assign(nb::handle self, Like value, nb::handle, nb::handle, bool) {
  Variable& variable = self_of(self);
  const Tensor tensor = value.tensor(variable.dtype());
  if (is_graph_variable(variable) || builds_graph())
    return wrap(kAssignLater(as_v1(variable), tensor));
  without_lock(work_of(tensor), [&] {
    (variable.*kAssign)(tensor);
    return 0;
  });
  return nb::borrow(self);
}

/// A graph's variables are keys of feed_dict; others compare by their elements, so they are none.
Py_hash_t hash(PyObject* self) noexcept {
  const Variable* variable = held_variable(self);
  if (variable == nullptr || !is_graph_variable(*variable))
    return PyObject_HashNotImplemented(self);
  return static_cast<Py_hash_t>(variable->storage().id());
}

/// The objects that stand for variables, by weak references.
class Objects {
 public:
  nb::object find(const Variable& variable) {
    const auto found = objects_.find(key_of(variable));
    if (found == objects_.end()) return {};
    nb::object object = nb::steal(PyObject_CallNoArgs(found->second.ptr()));
    if (!object.is_valid()) nb::raise_python_error();
    return object.is_none() ? nb::object() : object;
  }
  void add(const Variable& variable, nb::handle object) {
    if (objects_.size() >= limit_) drop_dead();
    objects_[key_of(variable)] = nb::steal(PyWeakref_NewRef(object.ptr(), nullptr));
  }

 private:
  /// A graph's variable is known by its symbol; another one by where its value lies.
  static uint64_t key_of(const Variable& variable) {
    return is_graph_variable(variable) ? variable.storage().id() << 1 | 1
                                       : reinterpret_cast<uintptr_t>(variable.key());
  }
  void drop_dead() {
    std::erase_if(objects_, [](const auto& entry) {
      return nb::steal(PyObject_CallNoArgs(entry.second.ptr())).is_none();
    });
    limit_ = std::max<size_t>(256, 2 * objects_.size());
  }

  std::unordered_map<uint64_t, nb::object> objects_;
  size_t limit_ = 256;
};

Objects& objects() {
  static auto* all = new Objects;  // never deleted: the interpreter may be gone before
  return *all;
}

template <char kSign>
PyObject* change_in_place(PyObject*, PyObject*) noexcept {
  PyErr_Format(PyExc_RuntimeError,
               "Variable %c= value is not supported. Use `variable.assign_add(value)` (or assign, "
               "assign_sub) to change the variable, or `variable = variable %c value` for a new "
               "tensor.",
               kSign, kSign);
  return nullptr;
}
template <char kSign>
PyObject* power_in_place(PyObject* a, PyObject* b, PyObject*) noexcept {
  return change_in_place<kSign>(a, b);
}

PyType_Slot* slots() {
  static std::vector<PyType_Slot> all = [] {
    std::vector<PyType_Slot> slots;
    for (const PyType_Slot* slot = operator_slots; slot->slot != 0; ++slot) slots.push_back(*slot);
    slots.push_back({Py_tp_hash, reinterpret_cast<void*>(hash)});
    slots.push_back({Py_nb_inplace_add, reinterpret_cast<void*>(change_in_place<'+'>)});
    slots.push_back({Py_nb_inplace_subtract, reinterpret_cast<void*>(change_in_place<'-'>)});
    slots.push_back({Py_nb_inplace_multiply, reinterpret_cast<void*>(change_in_place<'*'>)});
    slots.push_back({Py_nb_inplace_true_divide, reinterpret_cast<void*>(change_in_place<'/'>)});
    slots.push_back({Py_nb_inplace_power, reinterpret_cast<void*>(power_in_place<'^'>)});
    slots.push_back({0, nullptr});
    return slots;
  }();
  return all.data();
}

}  // namespace

nb::object object_of(const Variable& variable) {
  if (nb::object known = objects().find(variable); known.is_valid()) return known;
  nb::object object = nb::cast(variable);
  objects().add(variable, object);
  return object;
}

void bind_variable(nb::module_& m) {
  nb::class_<Variable> type(
      m, "Variable", nb::type_slots(slots()), nb::dynamic_attr(), nb::is_weak_referenceable(),
      "A named tensor that can be changed. It stands wherever a tensor does.\n\n"
      ">>> v = tf.Variable([1.0, 2.0])\n>>> v.assign_add([0.5, 0.5]).numpy()\n"
      "array([1.5, 2.5], dtype=float32)");
  variable_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.attr("__array_priority__") = 100;
  type.def(
          "__init__",
          [](nb::pointer_and_handle<Variable> self, nb::handle initial_value, bool trainable,
             nb::handle, nb::handle, const std::string& name, nb::handle, DTypeLike dtype,
             const nb::kwargs&) {
            const VariableOptions options{.trainable = trainable, .name = name};
            if (builds_graph()) {
              new (self.p) Variable(graph_variable(initial(initial_value), dtype, options));
              objects().add(*self.p, self.h);
              return;
            }
            note_new_variable();
            const WithoutTracing once;  // what it begins with is no part of a function
            const nb::object value = initial(initial_value);
            new (self.p) Variable(
                dtype.is_none() ? to_tensor(value) : to_tensor(value, dtype.get()), options);
            objects().add(*self.p, self.h);
          },
          "initial_value"_a, "trainable"_a = true, "validate_shape"_a = true,
          "caching_device"_a = nb::none(), "name"_a = "Variable", "variable_def"_a = nb::none(),
          "dtype"_a = nb::none(), "kwargs"_a)
      .def_prop_ro("dtype", [](const Variable& self) { return wrap(self.dtype()); })
      .def_prop_ro("shape", [](const Variable& self) { return wrap(self.shape()); })
      .def(
          "get_shape", [](const Variable& self) { return wrap(self.shape()); },
          "The same as `shape`.")
      .def_prop_ro("ndim", [](const Variable& self) { return self.shape().rank(); })
      .def_prop_ro("name", [](const Variable& self) { return self.name() + ":0"; })
      .def_prop_ro("device",
                   [](const Variable& self) {
                     if (is_graph_variable(self)) return std::string();
                     return "/job:localhost/replica:0/task:0/device:" +
                            to_string(self.device()).substr(1);
                   })
      .def_prop_rw("trainable", &Variable::trainable, &Variable::set_trainable)
      .def(
          "value", [](const Variable& self) { return wrap(self.value()); },
          "The value as it is now.")
      .def(
          "read_value", [](const Variable& self) { return wrap(self.value()); },
          "The value as it is now.")
      .def(
          "numpy", [](const Variable& self) { return to_numpy(self.value()); },
          "A copy of the value as an array of NumPy.")
      .def(
          "__array__",
          [](const Variable& self, nb::handle dtype, nb::handle) {
            nb::object array = nb::borrow(numpy().attr("asarray")(to_numpy(self.value())));
            return dtype.is_none() ? array : array.attr("astype")(dtype, "copy"_a = false);
          },
          "dtype"_a = nb::none(), "copy"_a = nb::none())
      .def("assign", &assign<&Variable::assign, &v1::assign>, "value"_a,
           "use_locking"_a = nb::none(), "name"_a = nb::none(), "read_value"_a = true,
           "Puts a value of the same dtype and shape in its place.")
      .def("assign_add", &assign<&Variable::assign_add, &v1::assign_add>, "delta"_a,
           "use_locking"_a = nb::none(), "name"_a = nb::none(), "read_value"_a = true,
           "Adds to the value.")
      .def("assign_sub", &assign<&Variable::assign_sub, &v1::assign_sub>, "delta"_a,
           "use_locking"_a = nb::none(), "name"_a = nb::none(), "read_value"_a = true,
           "Subtracts from the value.")
      .def("__len__", [](const Variable& self) { return nb::len(wrap(self.value())); })
      .def("__iter__", [](const Variable& self) { return nb::iter(wrap(self.value())); })
      .def("__bool__",
           [](const Variable& self) { return nb::cast<bool>(nb::bool_(wrap(self.value()))); })
      .def("__int__", [](const Variable& self) { return nb::int_(wrap(self.value())); })
      .def("__float__", [](const Variable& self) { return nb::float_(wrap(self.value())); })
      .def("__repr__", &repr)
      .def("__str__", &repr)
      .def("__deepcopy__",
           [](const Variable& self, nb::handle) {
             return Variable(self.value(), {.trainable = self.trainable(), .name = self.name()});
           })
      .def("__format__",
           [](const Variable& self, const std::string& spec) {
             return spec.empty() ? nb::str(repr(self).c_str())
                                 : nb::str(wrap(self.value()).attr("__format__")(spec));
           })
      .def(
          "ref", [](nb::handle self) { return reference_to(self); },
          "Something that stands for the variable as a key of dicts and in sets; deref() gives it "
          "back.")
      .def(
          "is_initialized", [](const Variable&, nb::handle) { return true; }, "name"_a = nb::none(),
          "Whether it has a value: always.")
      .def_prop_ro("_key",
                   [](const Variable& self) { return reinterpret_cast<uintptr_t>(self.key()); });
}

}  // namespace alula::python
