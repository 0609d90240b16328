#include "python/src/dtype.h"

#include <array>

#include "python/src/convert.h"

namespace alula::python {
namespace {

std::array<PyObject*, kDTypeCount> all_dtypes{};
PyObject* shape_class = nullptr;

constexpr DType kAll[] = {float16, bfloat16, float32, float64, int8,   int16,   int32,
                          int64,   uint8,    uint16,  uint32,  uint64, boolean, string};

DType from_python_type(nb::handle type) {
  if (type.is(&PyFloat_Type)) return float32;
  if (type.is(&PyLong_Type)) return int32;
  if (type.is(&PyBool_Type)) return boolean;
  if (type.is(&PyUnicode_Type) || type.is(&PyBytes_Type)) return string;
  return from_numpy_name(nb::cast<std::string>(numpy().attr("dtype")(type).attr("name")));
}

bool equal(const DTypeObject& self, nb::handle other) {
  if (other.is_none()) return false;
  try {
    return self.dtype == to_dtype(other);
  } catch (const std::exception&) {  // what names no dtype is different from all
    return false;
  }
}

nb::object limit(DType dtype, const char* which) {
  if (dtype == boolean) return nb::cast(std::string_view(which) == "max");
  const nb::object np = nb::borrow(numpy());
  if (dtype == bfloat16)
    return nb::cast(std::string_view(which) == "max" ? 0x1.fep127 : -0x1.fep127);
  require(dtype != string, "dtype: string has no {}.", which);
  const nb::object info = np.attr(is_floating(dtype) ? "finfo" : "iinfo")(numpy_dtype(dtype));
  return info.attr(which);
}

}  // namespace

DType from_numpy_name(const std::string& name) {
  if (name == "object" || name.starts_with("str") || name.starts_with("bytes")) return string;
  return dtype_from(name);
}

nb::handle numpy() {
  static PyObject* const module = nb::module_::import_("numpy").release().ptr();
  return module;
}

nb::object wrap(DType dtype) { return nb::borrow(all_dtypes[static_cast<size_t>(dtype)]); }

nb::object wrap(const Shape& shape) {
  nb::list dims;
  for (const int64_t dim : shape) dims.append(dim == kUnknown ? nb::none() : nb::cast(dim));
  return nb::handle(shape_class)(dims);
}

nb::object numpy_dtype(DType dtype) {
  if (dtype == string) return numpy().attr("dtype")("O");
  if (dtype == bfloat16) {
    try {
      return numpy().attr("dtype")(nb::module_::import_("ml_dtypes").attr("bfloat16"));
    } catch (const nb::python_error&) {
      return numpy().attr("dtype")("float32");
    }
  }
  return numpy().attr("dtype")(std::string(name_of(dtype)));
}

DType to_dtype(nb::handle value) try {
  if (nb::isinstance<DTypeObject>(value)) return nb::inst_ptr<DTypeObject>(value)->dtype;
  if (PyUnicode_Check(value.ptr())) return dtype_from(nb::cast<std::string>(value));
  if (PyType_Check(value.ptr())) return from_python_type(value);
  if (nb::hasattr(value, "name") && nb::hasattr(value, "itemsize"))
    return from_numpy_name(nb::cast<std::string>(value.attr("name")));
  throw nb::type_error(
      fmt::format("dtype: cannot make one of {}.", nb::repr(value).c_str()).c_str());
} catch (const InvalidArgumentError& error) {  // TensorFlow's class for it
  throw nb::type_error(error.what());
}

void bind_dtype(nb::module_& m) {
  nb::class_<DTypeObject>(m, "DType", "What the elements of a tensor are: tf.float32, tf.int32, …")
      .def("__init__",
           [](DTypeObject* self, DTypeLike value) { new (self) DTypeObject{value.get()}; })
      .def_prop_ro("name", [](const DTypeObject& self) { return name_of(self.dtype); })
      .def_prop_ro("size",
                   [](const DTypeObject& self) {
                     return self.dtype == string ? size_t{1} : size_of(self.dtype);
                   })
      .def_prop_ro("as_numpy_dtype",
                   [](const DTypeObject& self) { return numpy_dtype(self.dtype).attr("type"); })
      .def_prop_ro("base_dtype", [](const DTypeObject& self) { return wrap(self.dtype); })
      .def_prop_ro("is_floating", [](const DTypeObject& self) { return is_floating(self.dtype); })
      .def_prop_ro("is_integer", [](const DTypeObject& self) { return is_integer(self.dtype); })
      .def_prop_ro("is_bool", [](const DTypeObject& self) { return self.dtype == boolean; })
      .def_prop_ro("is_complex", [](const DTypeObject&) { return false; })
      .def_prop_ro("is_unsigned",
                   [](const DTypeObject& self) { return kUnsignedIntegers.contains(self.dtype); })
      .def_prop_ro("is_numeric",
                   [](const DTypeObject& self) { return kNumeric.contains(self.dtype); })
      .def_prop_ro("min", [](const DTypeObject& self) { return limit(self.dtype, "min"); })
      .def_prop_ro("max", [](const DTypeObject& self) { return limit(self.dtype, "max"); })
      .def("is_compatible_with",
           [](const DTypeObject& self, DTypeLike other) { return self.dtype == other.get(); })
      .def("__eq__", &equal, nb::arg().none())
      .def(
          "__ne__", [](const DTypeObject& self, nb::handle other) { return !equal(self, other); },
          nb::arg().none())
      .def("__hash__", [](const DTypeObject& self) { return static_cast<int>(self.dtype); })
      .def("__repr__",
           [](const DTypeObject& self) { return fmt::format("tf.{}", name_of(self.dtype)); })
      .def(
          "__str__",
          [](const DTypeObject& self) { return fmt::format("<dtype: '{}'>", name_of(self.dtype)); })
      .def("__reduce__", [](const DTypeObject& self) {
        return nb::make_tuple(nb::type<DTypeObject>(), nb::make_tuple(name_of(self.dtype)));
      });
  for (const DType dtype : kAll) {
    nb::object object = nb::cast(DTypeObject{dtype});
    m.attr(std::string(name_of(dtype)).c_str()) = object;
    all_dtypes[static_cast<size_t>(dtype)] = object.release().ptr();  // as long as the process
  }
  m.attr("half") = wrap(float16);
  m.attr("double") = wrap(float64);
  m.def(
      "as_dtype", [](DTypeLike type_value) { return wrap(type_value.get()); }, "type_value"_a,
      "The dtype that a name, a NumPy dtype or a Python type stands for.");
  m.def("_set_shape_class", [](nb::handle type) { shape_class = type.inc_ref().ptr(); });
}

}  // namespace alula::python
