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

PyType_Slot* slots() {
  static std::vector<PyType_Slot> all = [] {
    std::vector<PyType_Slot> slots;
    for (const PyType_Slot* slot = operator_slots; slot->slot != 0; ++slot) slots.push_back(*slot);
    slots.push_back({Py_tp_hash, reinterpret_cast<void*>(hash)});
    slots.push_back({0, nullptr});
    return slots;
  }();
  return all.data();
}

}  // namespace

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
          [](Variable* self, nb::handle initial_value, bool trainable, nb::handle, nb::handle,
             const std::string& name, nb::handle, DTypeLike dtype, const nb::kwargs&) {
            const VariableOptions options{.trainable = trainable, .name = name};
            if (builds_graph()) {
              new (self) Variable(graph_variable(initial(initial_value), dtype, options));
              return;
            }
            note_new_variable();
            const WithoutTracing once;  // what it begins with is no part of a function
            const nb::object value = initial(initial_value);
            new (self) Variable(dtype.is_none() ? to_tensor(value) : to_tensor(value, dtype.get()),
                                options);
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
             return nb::str(wrap(self.value()).attr("__format__")(spec));
           })
      .def_prop_ro("_key",
                   [](const Variable& self) { return reinterpret_cast<uintptr_t>(self.key()); });
}

}  // namespace alula::python
