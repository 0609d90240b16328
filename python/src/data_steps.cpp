#include "python/src/data.h"
#include "python/src/ops.h"

namespace alula::python {
namespace {

using data::Dataset;

/// The default of TensorFlow's arguments that say nothing: in order.
bool in_order(nb::handle deterministic) {
  return deterministic.is_none() || nb::cast<bool>(deterministic);
}

Dataset map(const Dataset& self, nb::handle function, nb::handle calls, nb::handle deterministic,
            nb::handle, nb::handle, nb::handle) {
  const data::MapOptions options{.num_parallel_calls = to_parallel_calls(calls),
                                 .deterministic = in_order(deterministic)};
  const data::ElementFunction call = element_function(function);
  return without_lock([&] { return self.map(call, options); });
}

Dataset filter(const Dataset& self, nb::handle predicate, nb::handle) {
  const data::ElementFunction call = element_function(predicate);
  return without_lock([&] { return self.filter(call); });
}

Dataset flat_map(const Dataset& self, nb::handle function, nb::handle) {
  const data::DatasetFunction call = dataset_function(function);
  return without_lock([&] { return self.flat_map(call); });
}

Dataset interleave(const Dataset& self, nb::handle function, IntLike cycle_length,
                   IntLike block_length, nb::handle calls, nb::handle deterministic, nb::handle) {
  data::InterleaveOptions options{.num_parallel_calls = to_parallel_calls(calls),
                                  .deterministic = in_order(deterministic)};
  if (!cycle_length.is_none() && cycle_length.get() != data::AUTOTUNE)
    options.cycle_length = cycle_length;
  if (!block_length.is_none()) options.block_length = block_length;
  const data::DatasetFunction call = dataset_function(function);
  return without_lock([&] { return self.interleave(call, options); });
}

/// Shapes for each tensor of an element, from a nest like it. A shape may be a list, a tuple, a
/// TensorShape, a tensor or None.
void add_shapes(nb::handle value, const data::Structure& structure, std::vector<Shape>& shapes) {
  const auto fail = [&] {
    throw nb::type_error(fmt::format("padded_batch: padded_shapes must be arranged as the elements "
                                     "are. Got {}.",
                                     nb::repr(value).c_str())
                             .c_str());
  };
  if (structure.is_leaf()) {
    shapes.push_back(to_shape(value));
  } else if (structure.kind == data::Structure::Kind::kTuple) {
    if (nb::len(value) != structure.items.size()) fail();
    for (size_t i = 0; i < structure.items.size(); ++i)
      add_shapes(value[i], structure.items[i], shapes);
  } else {
    if (!PyDict_Check(value.ptr())) fail();
    for (size_t i = 0; i < structure.items.size(); ++i)
      add_shapes(value[structure.names[i].c_str()], structure.items[i], shapes);
  }
}

/// Values for each tensor of an element: from a nest like it, or one for all. None is zero.
void add_values(nb::handle value, const data::Structure& structure, const data::ElementSpec& spec,
                std::vector<Tensor>& values) {
  if (structure.is_leaf()) {
    const DType dtype = spec.specs[values.size()].dtype;
    values.push_back(value.is_none()
                         ? (dtype == string ? Tensor(std::string_view()) : Tensor(Number(0), dtype))
                         : to_tensor(value, dtype));
    return;
  }
  const bool nest = PyTuple_Check(value.ptr()) || PyDict_Check(value.ptr());
  const bool named = structure.kind == data::Structure::Kind::kNamed;
  if (nest && nb::len(value) != structure.items.size())
    throw nb::type_error("padded_batch: padding_values must be arranged as the elements are.");
  for (size_t i = 0; i < structure.items.size(); ++i) {
    const nb::object item = !nest   ? nb::borrow(value)
                            : named ? nb::object(value[structure.names[i].c_str()])
                                    : nb::object(value[i]);
    add_values(item, structure.items[i], spec, values);
  }
}

Dataset padded_batch(const Dataset& self, IntLike batch_size, nb::handle padded_shapes,
                     nb::handle padding_values, bool drop_remainder, nb::handle) {
  data::PaddedBatchOptions options{.drop_remainder = drop_remainder};
  const data::ElementSpec& spec = self.element_spec();
  if (!padded_shapes.is_none()) add_shapes(padded_shapes, spec.structure, options.padded_shapes);
  if (!padding_values.is_none())
    add_values(padding_values, spec.structure, spec, options.padding_values);
  return self.padded_batch(batch_size, options);
}

void bind_functions(nb::class_<Dataset>& type) {
  type.def("map", &map, "map_func"_a, "num_parallel_calls"_a = nb::none(),
           "deterministic"_a = nb::none(), "synchronous"_a = nb::none(),
           "use_unbounded_threadpool"_a = false, name_argument(),
           "What a function makes of each element; the items of a tuple are its arguments. It is "
           "traced once: Python code in it runs once, not for each element, which "
           "tf.py_function is for.\n\n"
           ">>> dataset = tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4]))\n"
           ">>> [x.numpy().tolist() for x in dataset.map(lambda x, y: x * y)]\n[3, 8]")
      .def("filter", &filter, "predicate"_a, name_argument(),
           "The elements for which a function, traced as by map, gives true.")
      .def("flat_map", &flat_map, "map_func"_a, name_argument(),
           "The elements of the data sets that a function makes of each element. It is called for "
           "each, and here already for the first one, to see what the data sets give.\n\n"
           ">>> dataset = tf.data.Dataset.range(3).flat_map(lambda x: tf.data.Dataset.range(x))\n"
           ">>> [int(x) for x in dataset]\n[0, 0, 1]")
      .def("interleave", &interleave, "map_func"_a, "cycle_length"_a = nb::none(),
           "block_length"_a = nb::none(), "num_parallel_calls"_a = nb::none(),
           "deterministic"_a = nb::none(), name_argument(),
           "The same as flat_map, of several data sets in turn.");
}

void bind_grouping(nb::class_<Dataset>& type) {
  type.def(
          "batch",
          [](const Dataset& self, IntLike batch_size, bool drop_remainder, nb::handle calls,
             nb::handle, nb::handle) {
            to_parallel_calls(calls);  // a batch is made at once, and needs no threads
            return self.batch(batch_size, {.drop_remainder = drop_remainder});
          },
          "batch_size"_a, "drop_remainder"_a = false, "num_parallel_calls"_a = nb::none(),
          "deterministic"_a = nb::none(), name_argument(), "So many elements as one, stacked.")
      .def("padded_batch", &padded_batch, "batch_size"_a, "padded_shapes"_a = nb::none(),
           "padding_values"_a = nb::none(), "drop_remainder"_a = false, name_argument(),
           "So many elements of different shapes as one: smaller ones are padded.")
      .def(
          "unbatch", [](const Dataset& self, nb::handle) { return self.unbatch(); },
          name_argument(), "The slices of each element, as elements.")
      .def(
          "window",
          [](const Dataset& self, IntLike size, IntLike shift, IntLike stride, bool drop_remainder,
             nb::handle) {
            if (!shift.is_none())
              require(shift.get() > 0, "window: shift must be positive. Got {}.", shift.get());
            return self.window(
                size,
                {.shift = shift.value_or(0), .stride = stride, .drop_remainder = drop_remainder});
          },
          "size"_a, "shift"_a = nb::none(), "stride"_a = 1, "drop_remainder"_a = false,
          name_argument(), "Data sets of so many elements each.")
      .def(
          "enumerate",
          [](const Dataset& self, IntLike start, nb::handle) { return self.enumerate(start); },
          "start"_a = 0, name_argument(), "Tuples of the position and the element.")
      .def(
          "concatenate",
          [](const Dataset& self, nb::handle other, nb::handle) {
            return self.concatenate(to_dataset(other, "concatenate"));
          },
          "dataset"_a, name_argument(), "These elements, then those of another data set.");
}

void bind_choosing(nb::class_<Dataset>& type) {
  type.def(
          "take", [](const Dataset& self, IntLike count, nb::handle) { return self.take(count); },
          "count"_a, name_argument(), "The first so many elements; -1: all.")
      .def(
          "skip", [](const Dataset& self, IntLike count, nb::handle) { return self.skip(count); },
          "count"_a, name_argument(), "All but the first so many elements.")
      .def(
          "shard",
          [](const Dataset& self, IntLike shards, IntLike index, nb::handle) {
            return self.shard(shards, index);
          },
          "num_shards"_a, "index"_a, name_argument(),
          "Every num_shards-th element, beginning with number index.")
      .def(
          "shuffle",
          [](const Dataset& self, IntLike size, nb::handle seed, nb::handle again, nb::handle) {
            return self.shuffle(
                size, {.seed = to_seed(seed),
                       .reshuffle_each_iteration = again.is_none() || nb::cast<bool>(again)});
          },
          "buffer_size"_a, "seed"_a = nb::none(), "reshuffle_each_iteration"_a = nb::none(),
          name_argument(),
          "In random order: each element is picked from the next buffer_size ones.")
      .def(
          "repeat",
          [](const Dataset& self, IntLike count, nb::handle) {
            return self.repeat(count.value_or(-1));
          },
          "count"_a = nb::none(), name_argument(), "So many times over, or for ever.")
      .def(
          "ignore_errors",
          [](const Dataset& self, bool, nb::handle) { return self.ignore_errors(); },
          "log_warning"_a = false, name_argument(), "Leaves out the elements that fail.");
}

void bind_running(nb::class_<Dataset>& type) {
  type.def(
          "prefetch",
          [](const Dataset& self, IntLike size, nb::handle) { return self.prefetch(size); },
          "buffer_size"_a, name_argument(),
          "Makes elements in a thread of its own, so many ahead of the reader.")
      .def(
          "_to_device",
          [](const Dataset& self, const std::string& name, int64_t buffer_size) {
            const Device device(name);
            return buffer_size == 0 ? self.copy_to_device(device)
                                    : self.prefetch_to_device(device, buffer_size);
          },
          "device"_a, "buffer_size"_a,
          "Elements on a device: put there so many ahead of the reader; 0: when it asks.")
      .def(
          "cache",
          [](const Dataset& self, nb::handle filename, nb::handle) {
            const auto names = to_strings(filename);
            return self.cache(names.empty() ? "" : names[0]);
          },
          "filename"_a = "", name_argument(),
          "Keeps the elements of the first whole walk, in memory or in a file, for those after "
          "it.")
      .def(
          "apply",
          [](nb::handle self, nb::handle function, nb::handle) {
            nb::object result = function(self);
            to_dataset(result, "apply: what the function returns");
            return result;
          },
          "transformation_func"_a, name_argument(), "What a function makes of the whole data set.")
      .def("_with_autotune_memory", [](const Dataset& self, int64_t bytes) {
        return self.with_options({.autotune_memory = bytes});
      });
}

}  // namespace

void bind_data_steps(nb::class_<Dataset>& type) {
  bind_functions(type);
  bind_grouping(type);
  bind_choosing(type);
  bind_running(type);
}

}  // namespace alula::python
