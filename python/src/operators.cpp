#include "python/src/convert.h"
#include "python/src/errors.h"
#include "python/src/tensor.h"

// The operators stand in the type's slots themselves: Python calls them without looking up a
// method, which would take longer than a small op.
namespace alula::python {
namespace {

PyObject* wrapped(Tensor tensor) { return wrap(std::move(tensor)).release().ptr(); }

Tensor add_or_join(const Tensor& a, const Tensor& b) {
  if (a.dtype() != string) return add(a, b);
  return strings::join({a, b});
}
Tensor and_(const Tensor& a, const Tensor& b) {
  return is_integer(a.dtype()) ? bitwise::bitwise_and(a, b) : logical_and(a, b);
}
Tensor or_(const Tensor& a, const Tensor& b) {
  return is_integer(a.dtype()) ? bitwise::bitwise_or(a, b) : logical_or(a, b);
}
Tensor xor_(const Tensor& a, const Tensor& b) {
  return is_integer(a.dtype()) ? bitwise::bitwise_xor(a, b) : logical_xor(a, b);
}
Tensor sub_(const Tensor& a, const Tensor& b) { return sub(a, b); }
Tensor mul_(const Tensor& a, const Tensor& b) { return mul(a, b); }
Tensor div_(const Tensor& a, const Tensor& b) { return divide(a, b); }
Tensor floordiv_(const Tensor& a, const Tensor& b) { return floordiv(a, b); }
Tensor mod_(const Tensor& a, const Tensor& b) { return mod(a, b); }
Tensor pow_(const Tensor& a, const Tensor& b) { return alula::pow(a, b); }
Tensor matmul_(const Tensor& a, const Tensor& b) { return matmul(a, b); }
Tensor less_(const Tensor& a, const Tensor& b) { return less(a, b); }
Tensor less_equal_(const Tensor& a, const Tensor& b) { return less_equal(a, b); }
Tensor greater_(const Tensor& a, const Tensor& b) { return greater(a, b); }
Tensor greater_equal_(const Tensor& a, const Tensor& b) { return greater_equal(a, b); }
Tensor equal_(const Tensor& a, const Tensor& b) { return equal(a, b); }
Tensor not_equal_(const Tensor& a, const Tensor& b) { return not_equal(a, b); }

using Binary = Tensor (*)(const Tensor&, const Tensor&);

template <Binary kOp>
Tensor compute(const Tensor& a, const Tensor& b) {
  return without_lock(std::max(work_of(a), work_of(b)), [&] { return kOp(a, b); });
}

template <Binary kOp>
PyObject* binary(PyObject* a, PyObject* b) noexcept {
  try {
    const Tensor *x = held_tensor(a), *y = held_tensor(b);
    if (x != nullptr && y != nullptr) return wrapped(compute<kOp>(*x, *y));
    if (!is_tensor_like(a) || !is_tensor_like(b)) return Py_NewRef(Py_NotImplemented);
    const Pair pair{Like(a), Like(b)};
    return wrapped(compute<kOp>(pair.a, pair.b));
  } catch (...) {
    return raise();
  }
}

PyObject* power(PyObject* a, PyObject* b, PyObject*) noexcept { return binary<pow_>(a, b); }

template <Tensor (*kOp)(const Tensor&)>
PyObject* unary(PyObject* x) noexcept {
  try {
    const Tensor tensor = Like(x).tensor();
    return wrapped(without_lock(work_of(tensor), [&] { return kOp(tensor); }));
  } catch (...) {
    return raise();
  }
}

/// Whether two tensors have shapes that do not go together: then they are different.
bool differ_in_shape(PyObject* a, PyObject* b) {
  const Tensor *x = held_tensor(a), *y = held_tensor(b);
  if (x == nullptr || y == nullptr) return false;
  const int shared = std::min(x->rank(), y->rank());
  for (int i = 1; i <= shared; ++i) {
    const int64_t one = x->shape()[x->rank() - i], other = y->shape()[y->rank() - i];
    if (one != other && one != 1 && other != 1 && one != kUnknown && other != kUnknown) return true;
  }
  return false;
}

PyObject* compare(PyObject* a, PyObject* b, int operation) noexcept {
  // As in TensorFlow, what cannot be a tensor is different from all tensors.
  const bool equality = operation == Py_EQ || operation == Py_NE;
  try {
    if (equality && !is_tensor_like(b)) return PyBool_FromLong(operation == Py_NE);
    if (equality && differ_in_shape(a, b)) return wrapped(Tensor(operation == Py_NE));
    switch (operation) {
      case Py_LT: return binary<less_>(a, b);
      case Py_LE: return binary<less_equal_>(a, b);
      case Py_GT: return binary<greater_>(a, b);
      case Py_GE: return binary<greater_equal_>(a, b);
      case Py_EQ: return binary<equal_>(a, b);
      default: return binary<not_equal_>(a, b);
    }
  } catch (...) {
    return raise();
  }
}

PyObject* item(PyObject* self, PyObject* index) noexcept {
  try {
    return wrapped(index_tensor(Like(self).tensor(), index));
  } catch (...) {
    return raise();
  }
}

Tensor neg_(const Tensor& x) { return neg(x); }
Tensor abs_(const Tensor& x) { return alula::abs(x); }
Tensor not_(const Tensor& x) { return is_integer(x.dtype()) ? bitwise::invert(x) : logical_not(x); }
Tensor pos_(const Tensor& x) { return x; }

template <auto kFunction>
PyType_Slot slot(int which) {
  return {which, reinterpret_cast<void*>(kFunction)};
}

}  // namespace

PyType_Slot operator_slots[] = {
    slot<binary<add_or_join>>(Py_nb_add),
    slot<binary<sub_>>(Py_nb_subtract),
    slot<binary<mul_>>(Py_nb_multiply),
    slot<binary<div_>>(Py_nb_true_divide),
    slot<binary<floordiv_>>(Py_nb_floor_divide),
    slot<binary<mod_>>(Py_nb_remainder),
    slot<power>(Py_nb_power),
    slot<binary<matmul_>>(Py_nb_matrix_multiply),
    slot<binary<and_>>(Py_nb_and),
    slot<binary<or_>>(Py_nb_or),
    slot<binary<xor_>>(Py_nb_xor),
    slot<unary<neg_>>(Py_nb_negative),
    slot<unary<pos_>>(Py_nb_positive),
    slot<unary<abs_>>(Py_nb_absolute),
    slot<unary<not_>>(Py_nb_invert),
    slot<compare>(Py_tp_richcompare),
    slot<item>(Py_mp_subscript),
    {0, nullptr},
};

}  // namespace alula::python
