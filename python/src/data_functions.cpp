#include "alula/data/host.h"
#include "python/src/data.h"
#include "python/src/errors.h"

namespace alula::python {
namespace {

/// What a function is traced by: with Python's `if` and loops converted, where that is at hand.
Held prepared(nb::handle function) {
  if (PyCallable_Check(function.ptr()) == 0)
    throw nb::type_error(
        fmt::format("data: must be a function. Got {}.", nb::repr(function).c_str()).c_str());
  return Held(nb::module_::import_("alula.data._trace").attr("prepared")(function));
}

/// The items of a tuple are the arguments; anything else, a named tuple too, is the only one.
nb::object call(nb::handle function, const data::Element& element) {
  nb::object arguments = to_python(element);
  if (!PyTuple_CheckExact(arguments.ptr())) arguments = nb::make_tuple(arguments);
  nb::object result = nb::steal(PyObject_CallObject(function.ptr(), arguments.ptr()));
  if (!result.is_valid()) throw nb::python_error();
  return result;
}

class Rearranged final : public data::Stage {
 public:
  Rearranged(const data::StageRef& input, const data::Structure& structure)
      : Stage("rearrange", {structure, input->spec().specs}, {input}) {}
  int64_t cardinality() const override { return input().cardinality(); }
  data::WalkRef walk(const data::Context& context) const override { return input().walk(context); }
  int64_t input_block(int64_t block) const override { return block; }
  const data::Indexed* indexed() const override { return input().indexed(); }
};

}  // namespace

void call_python(const std::function<void()>& f) {
  const nb::gil_scoped_acquire lock;
  try {
    f();
  } catch (const nb::builtin_exception&) {
    raise();
    throw nb::python_error();
  }
}

/// A list that a function returns is a tuple, as in TensorFlow; deeper inside, one is a tensor.
data::ElementFunction element_function(nb::handle function) {
  return [held = prepared(function)](const data::Element& element) {
    data::Element result;
    call_python([&] {
      nb::object value = call(held.get(), element);
      if (PyList_Check(value.ptr())) value = nb::steal(PyList_AsTuple(value.ptr()));
      result = to_element(value);
    });
    return result;
  };
}

data::DatasetFunction dataset_function(nb::handle function) {
  return [held = Held(function)](const data::Element& element) {
    std::optional<data::Dataset> result;
    call_python(
        [&] { result = to_dataset(call(held.get(), element), "data: what the function returns"); });
    return *result;
  };
}

data::Dataset rearranged(const data::Dataset& dataset, const data::Structure& structure) {
  require(structure.leaves() == dataset.element_spec().specs.size(),
          "data: the arrangement has {} tensors. Got {}.", structure.leaves(),
          dataset.element_spec());
  if (structure == dataset.element_spec().structure) return dataset;
  return dataset.then(std::make_shared<Rearranged>(dataset.stage(), structure));
}

}  // namespace alula::python
