#pragma once
#include "python/src/convert.h"

namespace alula::python {

/// Tensors as a Python list.
template <class List>
nb::list wrap_all(const List& tensors) {
  nb::list list;
  for (const Tensor& tensor : tensors) list.append(wrap(tensor));
  return list;
}

/// Calls `f` and wraps what it returns; the interpreter's lock is given up for large tensors.
template <class F>
TensorObject computed(int64_t work, const F& f) {
  return wrap(without_lock(work, f));
}

/// The argument that all of TensorFlow's functions end with, and that has no meaning here.
inline auto name_argument() { return nb::arg("name") = nb::none(); }

/// Makes functions of one tensor and of two, elementwise ones.
void def_unary(nb::module_& m, const char* name, const Elementwise& op, const char* doc);
void def_binary(nb::module_& m, const char* name, const Elementwise& op, const char* doc);

}  // namespace alula::python
