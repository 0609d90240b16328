#pragma once
#include "python/src/common.h"

namespace alula::python {

/// x[index], as Python and TensorFlow index: numbers, slices, an ellipsis, None, tensors, masks.
Tensor index_tensor(const Tensor& x, nb::handle index);

/// The elements as NumPy shows them, from a new line if they take several.
std::string values_text(const Tensor& tensor);
/// What a symbolic tensor is called: "matmul:0".
std::string symbol_name(const Tensor& tensor);

/// A tensor over the elements of an array, which holds the interface's other side alive.
Tensor from_dlpack(nb::handle object);

/// The operators that tensors and variables share: slots for a type's definition.
extern PyType_Slot operator_slots[];
/// Those by which a tensor's elements are read.
extern PyType_Slot buffer_slots[];
/// The object that stands for a variable in Python: the same one as long as somebody holds it.
nb::object object_of(const Variable& variable);
/// What `ref()` gives.
nb::object reference_to(nb::handle object);
/// An error that names `what` if the tensor is symbolic.
void check_has_values(const Tensor& tensor, const char* what);

void bind_elements(nb::module_& m);
void bind_tensor(nb::module_& m);
void bind_variable(nb::module_& m);

}  // namespace alula::python
