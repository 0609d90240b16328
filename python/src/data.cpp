#include "python/src/data.h"

#include "python/src/dtype.h"
#include "python/src/module.h"

namespace alula::python {
namespace {

int64_t length(const data::Dataset& dataset) {
  const int64_t count = dataset.cardinality();
  if (count == data::kInfiniteCardinality) throw nb::type_error("The dataset is infinite.");
  if (count == data::kUnknownCardinality) throw nb::type_error("The dataset length is unknown.");
  return count;
}

/// Each element with what was made of those before it. The state keeps its arrangement and dtypes.
nb::object reduce(const data::Dataset& dataset, nb::handle initial_state, nb::handle function,
                  nb::handle) {
  data::Element state = to_element(initial_state);
  const data::ElementSpec spec = state.spec();
  const nb::object iterator = make_iterator(dataset);
  for (;;) {
    const nb::object element = nb::steal(PyIter_Next(iterator.ptr()));
    if (!element.is_valid()) break;
    const data::Element next = to_element(function(to_python(state), element));
    bool fits = next.structure() == spec.structure;
    for (size_t i = 0; fits && i < spec.specs.size(); ++i)
      fits = next.tensors()[i].dtype() == spec.specs[i].dtype;
    if (!fits)
      throw nb::type_error(
          fmt::format("reduce: the function must give a state like the one before, "
                      "{}. Got {}.",
                      spec, next.spec())
              .c_str());
    state = next;
  }
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return to_python(state);
}

nb::object single_element(const data::Dataset& dataset, nb::handle) {
  const nb::object iterator = make_iterator(dataset);
  const nb::object first = nb::steal(PyIter_Next(iterator.ptr()));
  if (!first.is_valid() && PyErr_Occurred() != nullptr) throw nb::python_error();
  require(first.is_valid(), "get_single_element: the data set is empty.");
  const nb::object second = nb::steal(PyIter_Next(iterator.ptr()));
  if (!second.is_valid() && PyErr_Occurred() != nullptr) throw nb::python_error();
  require(!second.is_valid(), "get_single_element: the data set has more than one element.");
  return first;
}

void bind_walking(nb::class_<data::Dataset>& type) {
  type.def("__iter__", &make_iterator, "A new walk, from the start.")
      .def("as_numpy_iterator", &make_numpy_iterator,
           "A walk whose elements are NumPy's arrays.\n\n"
           ">>> list(tf.data.Dataset.range(2).as_numpy_iterator())\n[np.int64(0), np.int64(1)]")
      .def("reduce", &reduce, "initial_state"_a, "reduce_func"_a, nb::arg("name") = nb::none(),
           "What a function makes of a state and one element after another.\n\n"
           ">>> tf.data.Dataset.range(5).reduce(np.int64(0), lambda state, x: state + x).numpy()\n"
           "np.int64(10)")
      .def("get_single_element", &single_element, nb::arg("name") = nb::none(),
           "The only element; an error if there are none or several.");
}

void bind_description(nb::class_<data::Dataset>& type) {
  type.def_prop_ro(
          "element_spec",
          [](const data::Dataset& self) { return spec_to_python(self.element_spec()); },
          "What the elements are: a nest of tf.TensorSpec.")
      .def(
          "cardinality",
          [](const data::Dataset& self, nb::handle) { return wrap(Tensor(self.cardinality())); },
          nb::arg("name") = nb::none(),
          "The number of elements, INFINITE_CARDINALITY or UNKNOWN_CARDINALITY, as a tensor.")
      .def("explain", &data::Dataset::explain, "How it runs: a line a step.")
      .def("__len__", &length)
      .def("__bool__", [](const data::Dataset&) { return true; })
      .def("__repr__", [](const data::Dataset& self) {
        return fmt::format("<Dataset element_spec={}>",
                           nb::repr(spec_to_python(self.element_spec())).c_str());
      });
}

}  // namespace

void bind_data(nb::module_& m) {
  nb::module_ part = m.def_submodule("_data", "Input pipelines.");
  bind_data_iterator(part);
  nb::class_<data::Dataset> type(
      part, "Dataset", nb::dynamic_attr(), nb::is_weak_referenceable(),
      "Elements, one after another: arrays in memory, files, or what steps make of those. It "
      "describes a pipeline; a loop over it runs it.\n\n"
      ">>> dataset = tf.data.Dataset.from_tensor_slices([1, 2, 3, 4]).map(lambda x: x * 10)\n"
      ">>> [batch.numpy().tolist() for batch in dataset.batch(2)]\n[[10, 20], [30, 40]]");
  type.def(nb::init<const data::Dataset&>(), "variant_tensor"_a);
  bind_data_sources(part, type);
  bind_data_steps(type);
  bind_walking(type);
  bind_description(type);
  bind_data_files(part);
  part.attr("AUTOTUNE") = data::AUTOTUNE;
  part.attr("INFINITE_CARDINALITY") = data::kInfiniteCardinality;
  part.attr("UNKNOWN_CARDINALITY") = data::kUnknownCardinality;
}

}  // namespace alula::python
