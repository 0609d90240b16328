#pragma once
#include "python/src/common.h"

namespace alula::python {

/// The Python class of tensors: set when the module is loaded.
extern PyTypeObject* tensor_type;
extern PyTypeObject* variable_type;

/// The tensor inside of a Python object of class Tensor; nullptr if it is something else.
inline const Tensor* held_tensor(nb::handle object) {
  return Py_TYPE(object.ptr()) == tensor_type ? nb::inst_ptr<Tensor>(object) : nullptr;
}
/// The variable inside of a Python object; nullptr if it is something else.
const Variable* held_variable(nb::handle object);

/// A Python object of class Tensor: it says so in signatures.
class TensorObject : public nb::object {
 public:
  NB_OBJECT(TensorObject, nb::object, "alula._native.Tensor", is_tensor)
  static bool is_tensor(nb::handle object) { return held_tensor(object) != nullptr; }
};

/// A tensor as a Python object.
TensorObject wrap(Tensor tensor);

/// Whether a Python object can stand for a tensor: a tensor, a variable, a number, a text, an array
/// or a list of such.
bool is_tensor_like(nb::handle value);

/// A Python value as a tensor, with the dtype that TensorFlow gives it: 1 is int32, 1.5 float32, an
/// array keeps its own.
Tensor to_tensor(nb::handle value);
/// The same of a given dtype. A tensor must have it already; numbers, lists and arrays are
/// converted where nothing but precision is lost: 1.5 is no int32.
Tensor to_tensor(nb::handle value, DType dtype);
/// The same where the dtype is only a wish: what does not fit keeps its own.
Tensor to_tensor_like(nb::handle value, DType hint);

/// Dimensions from Python: a TensorShape, a tuple or list with None for unknown ones, a number, or
/// a tensor of integers.
Shape to_shape(nb::handle value);
/// Integers from a number, a list or tuple of them, or a tensor.
std::vector<int64_t> to_ints(nb::handle value, const char* who);
/// A dtype from a DType, its name, a NumPy dtype or type, or a Python type.
DType to_dtype(nb::handle value);

/// What to call in the place of a user's function: while a function is traced, the same with its
/// `if`, `while` and `for` on tensors converted.
nb::object as_traced(nb::handle function);

/// An array of NumPy with a copy of the elements; a scalar of NumPy if the rank is 0.
nb::object to_numpy(const Tensor& tensor);
/// The same of a tensor that is handed over: nothing is copied if nobody else holds its elements.
/// They must not be an array's that somebody else holds.
nb::object taken_to_numpy(Tensor tensor);
/// An array over the elements themselves, which cannot be written.
nb::object to_numpy_view(const Tensor& tensor);

/// Tensors from a list or tuple; they take the dtype of the first tensor among them.
std::vector<Tensor> to_tensors(nb::handle values);

/// An argument that stands for a tensor. It is converted when the function asks for it, so that
/// what is wrong with it is said in full.
class Like {
 public:
  Like() = default;
  explicit Like(nb::handle value) : value_(value) {}
  nb::handle handle() const { return value_; }
  bool is_none() const { return value_.is_none(); }
  Tensor tensor() const {
    const Tensor* held = held_tensor(value_);
    return held != nullptr ? *held : to_tensor(value_);
  }
  Tensor tensor(DType hint) const {
    const Tensor* held = held_tensor(value_);
    return held != nullptr ? *held : to_tensor_like(value_, hint);
  }
  operator Tensor() const { return tensor(); }

 private:
  nb::handle value_;
};

/// An argument of another type that is converted when the function asks for it.
template <class T, T (*kConvert)(nb::handle)>
class Deferred {
 public:
  Deferred() = default;
  explicit Deferred(nb::handle value) : value_(value) {}
  nb::handle handle() const { return value_; }
  bool is_none() const { return value_.is_none(); }
  T get() const { return kConvert(value_); }
  T value_or(T other) const { return is_none() ? other : get(); }
  operator T() const { return get(); }

 private:
  nb::handle value_;
};
using DTypeLike = Deferred<DType, to_dtype>;
using ShapeLike = Deferred<Shape, to_shape>;
using TensorsLike = Deferred<std::vector<Tensor>, to_tensors>;

/// Two operands: one that is no tensor takes the other's dtype.
struct Pair {
  Pair(const Like& a, const Like& b);
  Tensor a, b;
  int64_t work() const;
};

/// The elements of a tensor whose shape is known, and 0 otherwise: how much work an op on it is.
inline int64_t work_of(const Tensor& tensor) { return tensor.is_symbolic() ? 0 : tensor.size(); }

}  // namespace alula::python

namespace nanobind::detail {

template <>
struct type_caster<alula::python::Like> {
  NB_TYPE_CASTER(alula::python::Like, const_name("typing.Any"))
  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    value = alula::python::Like(source);
    return true;
  }
  static handle from_cpp(const alula::python::Like& like, rv_policy, cleanup_list*) noexcept {
    return like.handle().inc_ref();
  }
};

template <class T, T (*kConvert)(handle)>
struct type_caster<alula::python::Deferred<T, kConvert>> {
  using Type = alula::python::Deferred<T, kConvert>;
  NB_TYPE_CASTER(Type, const_name("typing.Any"))
  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    value = Type(source);
    return true;
  }
  static handle from_cpp(const Type& deferred, rv_policy, cleanup_list*) noexcept {
    return deferred.handle().inc_ref();
  }
};

}  // namespace nanobind::detail
