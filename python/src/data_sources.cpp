#include "python/src/data.h"
#include "python/src/dtype.h"
#include "python/src/ops.h"

namespace alula::python {
namespace {

using data::Dataset;

/// What a generator function gives, called with `arguments` at the start of every walk.
Dataset from_generator(nb::handle generator, nb::handle signature, nb::handle arguments) {
  const data::ElementSpec spec = to_element_spec(signature);
  const auto make = [function = Held(generator), arguments = Held(arguments),
                     spec]() -> Dataset::Generator {
    Held iterator;
    call_python([&] {
      const nb::object iterable = function.get()(*nb::borrow<nb::args>(arguments.get()));
      iterator = Held(nb::iter(iterable));
    });
    return [iterator, spec](data::Element& element) {
      bool more = false;
      call_python([&] {
        const nb::object value = nb::steal(PyIter_Next(iterator.get().ptr()));
        if (!value.is_valid() && PyErr_Occurred() != nullptr) throw nb::python_error();
        more = value.is_valid();
        if (more) element = to_element(value, spec);
      });
      return more;
    };
  };
  return Dataset::from_generator(make, spec);
}

Dataset range(const nb::args& bounds, nb::handle output_type, nb::handle) {
  if (bounds.size() < 1 || bounds.size() > 3)
    throw nb::type_error("range: takes stop; start and stop; or start, stop and step.");
  const int64_t first = to_int(bounds[0]);
  const Dataset numbers =
      bounds.size() == 1
          ? Dataset::range(first)
          : Dataset::range(first, to_int(bounds[1]), bounds.size() == 3 ? to_int(bounds[2]) : 1);
  const DType dtype = output_type.is_none() ? int64 : to_dtype(output_type);
  if (dtype == int64) return numbers;
  return without_lock([&] { return numbers.map([&](const Tensor& x) { return cast(x, dtype); }); });
}

/// The data sets in a nest, one after another, and the arrangement that their elements get.
data::Structure add_datasets(nb::handle nest, std::vector<Dataset>& datasets) {
  using Kind = data::Structure::Kind;
  if (nb::isinstance<Dataset>(nest)) {
    datasets.push_back(to_dataset(nest, "zip"));
    return datasets.back().element_spec().structure;
  }
  data::Structure structure;
  if (PyTuple_Check(nest.ptr())) {
    structure.kind = Kind::kTuple;
    for (const nb::handle item : nest) structure.items.push_back(add_datasets(item, datasets));
  } else if (PyDict_Check(nest.ptr())) {
    structure.kind = Kind::kNamed;
    for (const auto& [key, item] : nb::borrow<nb::dict>(nest)) {
      structure.names.push_back(nb::cast<std::string>(key));
      structure.items.push_back(add_datasets(item, datasets));
    }
  } else {
    throw nb::type_error(
        fmt::format("zip: takes data sets, in tuples or dicts. Got {}.", nb::repr(nest).c_str())
            .c_str());
  }
  return structure;
}

Dataset zip(const nb::args& args, nb::handle given, nb::handle) {
  if (args.size() > 0 && !given.is_none())
    throw nb::type_error("zip: give the data sets one by one, or as `datasets`, not both.");
  if (args.size() == 0 && given.is_none()) throw nb::type_error("zip: there is no data set.");
  // zip(a, b) and zip((a, b)) are the same; zip(a) is a tuple of one.
  const bool alone = args.size() == 1 && !nb::isinstance<Dataset>(args[0]);
  const nb::handle nest = !given.is_none() ? given : alone ? nb::handle(args[0]) : nb::handle(args);
  std::vector<Dataset> datasets;
  const data::Structure structure = add_datasets(nest, datasets);
  return rearranged(Dataset::zip(datasets), structure);
}

}  // namespace

void bind_data_sources(nb::module_& m, nb::class_<Dataset>& type) {
  type.def_static(
          "from_tensor_slices",
          [](nb::handle tensors, nb::handle) {
            return Dataset::from_tensor_slices(to_element(tensors));
          },
          "tensors"_a, name_argument(),
          "An element for each slice along the first dimension of all tensors. Arrays are copied, "
          "tensors are not.\n\n"
          ">>> dataset = tf.data.Dataset.from_tensor_slices({\"x\": [[1, 2], [3, 4]], \"y\": [5, "
          "6]})\n"
          ">>> next(iter(dataset))[\"x\"].numpy()\narray([1, 2], dtype=int32)")
      .def_static(
          "from_tensors",
          [](nb::handle tensors, nb::handle) { return Dataset::from_tensors(to_element(tensors)); },
          "tensors"_a, name_argument(), "One element.")
      .def_static("range", &range, "args"_a, "output_type"_a = nb::none(), name_argument(),
                  "The numbers from 0, or a start, up to a stop, which is left out.\n\n"
                  ">>> [int(x) for x in tf.data.Dataset.range(1, 10, 4)]\n[1, 5, 9]")
      .def_static("zip", &zip, "args"_a, "datasets"_a = nb::none(), name_argument(),
                  "The elements of several data sets at the same place; as many as the shortest "
                  "has.\n\n"
                  ">>> a, b = tf.data.Dataset.range(2), tf.data.Dataset.range(5, 9)\n"
                  ">>> [(int(x), int(y)) for x, y in tf.data.Dataset.zip(a, b)]\n[(0, 5), (1, 6)]");
  m.def("_from_generator", &from_generator);
}

}  // namespace alula::python
