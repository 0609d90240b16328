#include "python/src/tensor.h"

#include <nanobind/ndarray.h>

#include "python/src/array.h"
#include "python/src/convert.h"
#include "python/src/dtype.h"

namespace alula::python {
namespace {

/// A Python object that shares a tensor's elements keeps them by this.
nb::capsule owner_of(const Tensor& tensor) {
  return nb::capsule(new Tensor(tensor),
                     [](void* held) noexcept { delete static_cast<Tensor*>(held); });
}

nb::dlpack::dtype dlpack_dtype(DType dtype) {
  using Code = nb::dlpack::dtype_code;
  const Code code = dtype == bfloat16                   ? Code::Bfloat
                    : is_floating(dtype)                ? Code::Float
                    : dtype == boolean                  ? Code::Bool
                    : kUnsignedIntegers.contains(dtype) ? Code::UInt
                                                        : Code::Int;
  return {static_cast<uint8_t>(code), static_cast<uint8_t>(size_of(dtype) * 8), 1};
}

/// The elements of a tensor on the host, for other libraries.
nb::ndarray<nb::ro> share(const Tensor& tensor) {
  size_t dims[kMaxRank];
  for (int i = 0; i < tensor.rank(); ++i) dims[i] = static_cast<size_t>(tensor.shape()[i]);
  return nb::ndarray<nb::ro>(tensor.data(), static_cast<size_t>(tensor.rank()), dims,
                             owner_of(tensor), nullptr, dlpack_dtype(tensor.dtype()));
}

nb::object scalar_of(const Tensor& tensor, const char* what) {
  check_has_values(tensor, what);
  if (tensor.rank() != 0)
    throw nb::type_error(
        fmt::format("tensor: only a scalar can be a {}. Got {}.", what, tensor.spec()).c_str());
  return to_numpy(reshape(tensor, {})).attr("item")();
}

bool truth(const Tensor& tensor) {
  check_has_values(tensor, "a Python bool (if, while, and, or, not)");
  if (tensor.size() != 1)
    throw nb::value_error(
        fmt::format("tensor: the truth value of {} is ambiguous. Use tf.reduce_any or "
                    "tf.reduce_all.",
                    tensor.spec())
            .c_str());
  if (tensor.dtype() == string) return !tensor.item<std::string>().empty();
  return cast(tensor, boolean).item<bool>();
}

std::string shape_text(const Shape& shape) {
  std::string text = "(";
  for (int i = 0; i < shape.rank(); ++i)
    text += (i > 0 ? ", " : "") + (shape[i] == kUnknown ? "None" : std::to_string(shape[i]));
  return text + (shape.rank() == 1 ? ",)" : ")");
}

std::string repr(const Tensor& tensor) {
  const std::string shape = shape_text(tensor.shape());
  if (tensor.is_symbolic())
    return fmt::format("<tf.Tensor '{}' shape={} dtype={}>", symbol_name(tensor), shape,
                       tensor.dtype());
  return fmt::format("<tf.Tensor: shape={}, dtype={}, numpy={}>", shape, tensor.dtype(),
                     values_text(tensor));
}

std::string str(const Tensor& tensor) {
  if (tensor.is_symbolic())
    return fmt::format("Tensor(\"{}\", shape={}, dtype={})", symbol_name(tensor),
                       shape_text(tensor.shape()), tensor.dtype());
  const std::string values = nb::str(to_numpy_view(tensor)).c_str();
  return fmt::format("tf.Tensor({}{}, shape={}, dtype={})",
                     values.find('\n') == std::string::npos ? "" : "\n", values,
                     shape_text(tensor.shape()), tensor.dtype());
}

nb::object array_protocol(const Tensor& tensor, nb::handle dtype, nb::handle copy) {
  check_has_values(tensor, "NumPy");
  nb::object array =
      copy.is(Py_True) ? numpy().attr("asarray")(to_numpy(tensor)) : to_numpy_view(tensor);
  return dtype.is_none() ? array : array.attr("astype")(dtype, "copy"_a = false);
}

/// Symbolic tensors are keys of feed_dict; others compare by their elements, so they are no keys.
Py_hash_t hash(PyObject* self) noexcept {
  const Tensor* tensor = held_tensor(self);
  if (tensor != nullptr && tensor->is_symbolic()) return static_cast<Py_hash_t>(tensor->id());
  PyErr_SetString(PyExc_TypeError, "Tensor is unhashable. Instead, use tensor.ref() as the key.");
  return -1;
}

/// The slots of the operators and those of tensors alone.
PyType_Slot* tensor_slots() {
  static std::vector<PyType_Slot> slots = [] {
    std::vector<PyType_Slot> all;
    for (const PyType_Slot* slot = operator_slots; slot->slot != 0; ++slot) all.push_back(*slot);
    for (const PyType_Slot* slot = buffer_slots; slot->slot != 0; ++slot) all.push_back(*slot);
    all.push_back({Py_tp_hash, reinterpret_cast<void*>(hash)});
    all.push_back({0, nullptr});
    return all;
  }();
  return slots.data();
}

}  // namespace

std::string symbol_name(const Tensor& tensor) {
  const auto* symbol = tensor.note<Symbol>();
  if (symbol == nullptr || symbol->call == nullptr) return "Placeholder:0";
  const auto* call = dynamic_cast<const OpCall*>(symbol->call.get());
  return fmt::format("{}:{}", call == nullptr ? "Call" : call->op()->name(), symbol->index);
}

std::string values_text(const Tensor& tensor) {
  const nb::object array = to_numpy_view(tensor);
  if (tensor.rank() == 0)
    return tensor.dtype() == string ? nb::repr(array).c_str() : nb::str(array).c_str();
  const std::string text = nb::repr(array).c_str();
  return text.find('\n') == std::string::npos ? text : "\n" + text;
}

nb::object reference_to(nb::handle object) {
  return nb::module_::import_("alula._reference").attr("Reference")(object);
}

Tensor from_dlpack(nb::handle object) {
  const auto array = nb::cast<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>>(object);
  DType dtype = float32;
  const bool known = [&] {
    for (int i = 0; i < kDTypeCount; ++i) {
      dtype = static_cast<DType>(i);
      if (dtype != string && dlpack_dtype(dtype) == array.dtype()) return true;
    }
    return false;
  }();
  require(known, "from_dlpack: the array's dtype is not supported.");
  Shape shape;
  for (size_t i = 0; i < array.ndim(); ++i) shape.push_back(static_cast<int64_t>(array.shape(i)));
  using Array = std::remove_const_t<decltype(array)>;
  const nb::capsule owner(new Array(array),
                          [](void* held) noexcept { delete static_cast<Array*>(held); });
  return alias(Held(owner), const_cast<void*>(array.data()), {dtype, shape});
}

void bind_tensor(nb::module_& m) {
  nb::class_<Tensor> type(
      m, "Tensor", nb::type_slots(tensor_slots()),
      "A value: dtype, shape, device and elements in row-major order. Never written after it is "
      "made.\n\n>>> tf.constant([[1.0, 2.0], [3.0, 4.0]])\n<tf.Tensor: shape=(2, 2), "
      "dtype=float32, numpy=\narray([[1., 2.],\n       [3., 4.]], dtype=float32)>");
  tensor_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.attr("__array_priority__") = 100;  // NumPy's arrays leave operators with tensors to us
  type.def_prop_ro("dtype", [](const Tensor& self) { return wrap(self.dtype()); })
      .def_prop_ro("shape", [](const Tensor& self) { return wrap(self.shape()); })
      .def(
          "get_shape", [](const Tensor& self) { return wrap(self.shape()); },
          "The same as `shape`.")
      .def_prop_ro("ndim", &Tensor::rank)
      .def_prop_ro("device",
                   [](const Tensor& self) {
                     return self.is_symbolic() ? std::string()
                                               : "/job:localhost/replica:0/task:0/device:" +
                                                     to_string(self.device()).substr(1);
                   })
      .def_prop_ro("is_symbolic", &Tensor::is_symbolic)
      .def("numpy", &to_numpy,
           "A copy of the elements as an array of NumPy; a scalar of NumPy if the rank is 0.\n\n"
           ">>> tf.constant([1, 2]).numpy()\narray([1, 2], dtype=int32)")
      .def("__array__", &array_protocol, "dtype"_a = nb::none(), "copy"_a = nb::none())
      .def("__dlpack__",
           [](const Tensor& self, const nb::kwargs&) {
             check_has_values(self, "DLPack");
             return nb::cast(share(self.cpu()));
           })
      .def("__dlpack_device__", [](const Tensor&) { return nb::make_tuple(1, 0); })
      .def("__len__",
           [](const Tensor& self) {
             if (self.rank() == 0) throw nb::type_error("Scalar tensor has no `len()`");
             if (self.shape()[0] == kUnknown)
               throw nb::type_error(
                   "tensor: the length is not known while a graph is made. Use "
                   "tf.shape(x)[0].");
             return self.shape()[0];
           })
      .def("__iter__",
           [](const Tensor& self) {
             if (self.rank() == 0) throw nb::type_error("Cannot iterate over a scalar tensor.");
             nb::list rows;
             for (const Tensor& row : unstack(self)) rows.append(wrap(row));
             return nb::iter(rows);
           })
      .def("__bool__", &truth)
      .def("__int__", [](const Tensor& self) { return nb::int_(scalar_of(self, "Python int")); })
      .def("__float__",
           [](const Tensor& self) { return nb::float_(scalar_of(self, "Python float")); })
      .def("__index__",
           [](const Tensor& self) { return nb::int_(scalar_of(self, "Python index")); })
      .def("__format__",
           [](const Tensor& self, const std::string& spec) {
             if (self.is_symbolic()) return nb::str(str(self).c_str());
             return nb::str(to_numpy(self).attr("__format__")(spec));
           })
      .def(
          "__round__", [](const Tensor& self, nb::handle) { return wrap(alula::round(self)); },
          "ndigits"_a = nb::none())
      .def("__repr__", &repr)
      .def("__str__", &str)
      .def("__copy__", [](nb::handle self) { return nb::borrow(self); })
      .def("__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); })
      .def("__reduce__",
           [](const Tensor& self) {
             return nb::make_tuple(nb::module_::import_("alula._pickle").attr("tensor"),
                                   nb::make_tuple(to_numpy(self), name_of(self.dtype())));
           })
      .def(
          "cpu", [](const Tensor& self) { return wrap(self.cpu()); }, "This tensor on the CPU.")
      .def(
          "gpu",
          [](const Tensor& self, int index) { return wrap(self.to({DeviceType::kGPU, index})); },
          "gpu_index"_a = 0, "This tensor on a GPU.")
      .def(
          "ref", [](nb::handle self) { return reference_to(self); },
          "Something that stands for the tensor as a key of dicts and in sets; deref() gives it "
          "back.\n\n>>> x = tf.constant(1.0)\n>>> x.ref() in {x.ref()}\nTrue")
      .def_prop_ro("_id", &Tensor::id)
      .def("_same_as", &Tensor::same_as);
  bind_elements(m);
  m.def(
      "_from_dlpack", [](nb::handle x) { return wrap(from_dlpack(x)); }, "dlcapsule"_a,
      "A tensor over the elements of an array of another library, which must not change while the "
      "tensor lives. It takes a capsule or whatever has `__dlpack__`.");
}

}  // namespace alula::python
