#pragma once
#include "python/src/common.h"

namespace alula::python {

/// A dtype as Python sees it. There is one object for each.
struct DTypeObject {
  DType dtype;
};

/// The one object of a dtype.
nb::object wrap(DType dtype);
/// A shape as Python sees it: a TensorShape.
nb::object wrap(const Shape& shape);
/// The dtype of NumPy for a dtype: object for strings, and float32 for bfloat16 where the package
/// ml_dtypes, which has it, is not installed.
nb::object numpy_dtype(DType dtype);
/// The module numpy, imported when it is first needed.
nb::handle numpy();

/// The dtype of a name that NumPy uses: "float32", "object", "str96".
DType from_numpy_name(const std::string& name);

void bind_dtype(nb::module_& m);

}  // namespace alula::python
