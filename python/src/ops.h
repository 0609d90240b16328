#pragma once
#include "python/src/convert.h"
#include "python/src/dtype.h"

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

/// A docstring with a last line from the op table: which dtypes the op takes, and whether it has no
/// gradient. `op` is the name of a structured op.
std::string described(const std::string& doc, const Elementwise& op);
std::string described(const std::string& doc, std::string_view op);

/// An elementwise function by TensorFlow's name, with the names of its arguments.
struct NamedElementwise {
  const char* name;
  const Elementwise* op;
  const char* doc;
  const char* x = "x";
  const char* y = "y";
};
/// Makes functions of one tensor and of two, elementwise ones.
void def_unary(nb::module_& m, const NamedElementwise& function);
void def_binary(nb::module_& m, const NamedElementwise& function);

/// Makes a function of one tensor.
void def_of_one(nb::module_& m, const char* name, const char* argument, Tensor (*f)(const Tensor&),
                const std::string& doc);
/// Makes a function of two tensors; one that is none takes the other's dtype.
void def_of_two(nb::module_& m, const char* name, const char* a, const char* b,
                Tensor (*f)(const Tensor&, const Tensor&), const std::string& doc);
/// Makes a function that reduces a tensor along some axes.
void def_reduction(nb::module_& m, const char* name,
                   Tensor (*f)(const Tensor&, const ReduceOptions&), const std::string& doc);

/// Axes from Python: None is all of them.
Axes to_axes(nb::handle axis);
/// One integer from a number or a scalar; `other` for None.
int64_t to_int(nb::handle value, const char* who, int64_t other = 0);
/// A short list of integers.
Ints to_short_ints(nb::handle value, const char* who);
/// The number of a Python number or a scalar tensor that has a value.
Number to_number(const Tensor& scalar, const char* who);
/// A seed: None is none.
random::Seed to_seed(nb::handle seed);
/// One text from a str, bytes or a scalar.
std::string to_text(nb::handle value, const char* who);

// The parts of ops_array, ops_nn and others that stand in files of their own.
void bind_ops_array_making(nb::module_& m);
void bind_ops_array_choosing(nb::module_& m);
void bind_ops_array_masks(nb::module_& m);
void bind_ops_math_groups(nb::module_& math);
void bind_ops_math_reductions(nb::module_& math);
void bind_ops_linalg_matrices(nb::module_& linalg);
void bind_ops_bitwise(nb::module_& m);
void bind_ops_nn_layers(nb::module_& nn);
void bind_ops_nn_windows(nb::module_& nn);
void bind_ops_io_records(nb::module_& io);
void bind_ops_raw(nb::module_& m);

}  // namespace alula::python
