#pragma once
#include "python/src/convert.h"

/// Input pipelines as Python sees them: elements are tensors, tuples and dicts, at any depth.
namespace alula::python {

/// An element from Python: tuples and dicts nest, all else is a tensor, lists too.
data::Element to_element(nb::handle value);
/// The same where the arrangement and the dtypes are known; what a generator gives takes them.
data::Element to_element(nb::handle value, const data::ElementSpec& spec);
/// Tensors one after another, arranged for Python. A window is a data set.
nb::object to_python(const data::Structure& structure, const Tensor* tensors);
inline nb::object to_python(const data::Element& element) {
  return to_python(element.structure(), element.tensors().data());
}
/// The same with NumPy's arrays in place of tensors.
nb::object to_python_arrays(const data::Structure& structure, const Tensor* tensors);

/// What elements are, as a nest of tf.TensorSpec; and from one.
nb::object spec_to_python(const data::ElementSpec& spec);
data::ElementSpec to_element_spec(nb::handle value);
/// How a Python nest is arranged, whatever its leaves are.
data::Structure to_structure(nb::handle value);
/// What one tensor is, as a tf.TensorSpec.
nb::object spec_to_python(const Spec& spec);

/// The data set in a Python object; an error that names who asked if it is something else.
const data::Dataset& to_dataset(nb::handle value, const char* who);

/// An integer from Python: a number, or a tensor of one.
int64_t to_int(nb::handle value);
using IntLike = Deferred<int64_t, to_int>;
/// Texts from Python: one, or a list or tensor of them.
std::vector<std::string> to_strings(nb::handle value);
/// How many calls at a time: none, a number, or AUTOTUNE.
int64_t to_parallel_calls(nb::handle value);

/// Python's functions for a pipeline, which calls them in any thread. The elements of a tuple are
/// the function's arguments.
data::ElementFunction element_function(nb::handle function);
data::DatasetFunction dataset_function(nb::handle function);

/// Calls `f` with the interpreter's lock. What it throws becomes a Python exception that can travel
/// through C++ as it is.
void call_python(const std::function<void()>& f);

/// Lets Ctrl-C end what is under way in Python's main thread: for data::WhileWaiting, and for loops
/// that take long without the interpreter's lock.
void check_signals();

/// The same elements, arranged otherwise: as many tensors in the same order.
data::Dataset rearranged(const data::Dataset& dataset, const data::Structure& structure);

void bind_data_iterator(nb::module_& m);
void bind_data_sources(nb::module_& m, nb::class_<data::Dataset>& type);
void bind_data_files(nb::module_& m);
void bind_data_steps(nb::class_<data::Dataset>& type);

/// A new walk through a data set, as Python's iterator.
nb::object make_iterator(const data::Dataset& dataset);
nb::object make_numpy_iterator(const data::Dataset& dataset);

}  // namespace alula::python
