#include "python/src/convert.h"
#include "python/src/tensor.h"

namespace alula::python {
namespace {

int64_t to_position(nb::handle value) {
  if (PyLong_Check(value.ptr())) return nb::cast<int64_t>(value);
  const std::vector<int64_t> ints = to_ints(value, "index");
  require(ints.size() == 1, "index: an entry must be one integer. Got {}.", ints.size());
  return ints[0];
}

/// Begin, end, strides and masks, entry by entry.
struct Entries {
  Ints begin, end;
  StridedSliceOptions options;

  void add(int64_t from, int64_t to, int64_t stride) {
    begin.push_back(from);
    end.push_back(to);
    options.strides.push_back(stride);
  }
  uint32_t bit() const { return 1u << (begin.size() - 1); }

  void add(nb::handle entry) {
    if (entry.is(Py_Ellipsis)) {
      add(0, 0, 1);
      options.ellipsis_mask |= bit();
    } else if (entry.is_none()) {
      add(0, 0, 1);
      options.new_axis_mask |= bit();
    } else if (PySlice_Check(entry.ptr())) {
      const nb::object from = entry.attr("start"), to = entry.attr("stop"), by = entry.attr("step");
      add(from.is_none() ? 0 : to_position(from), to.is_none() ? 0 : to_position(to),
          by.is_none() ? 1 : to_position(by));
      if (from.is_none()) options.begin_mask |= bit();
      if (to.is_none()) options.end_mask |= bit();
    } else if (PyBool_Check(entry.ptr())) {
      throw nb::value_error(
          "tensor: a bool is no index. Use a list or tensor of bools as a mask, or int(index).");
    } else {
      const int64_t position = to_position(entry);
      add(position, position + 1, 1);
      options.shrink_axis_mask |= bit();
    }
  }
};

bool is_array(nb::handle index) {
  return held_tensor(index) != nullptr || held_variable(index) != nullptr ||
         nb::hasattr(index, "__array__");
}

}  // namespace

Tensor index_tensor(const Tensor& x, nb::handle index) {
  if (is_array(index)) {
    const Tensor at = to_tensor(index);
    if (at.dtype() == boolean) return boolean_mask(x, at);
    // A symbolic position is picked when the graph runs.
    if (at.rank() == 0 && at.is_symbolic()) return gather(x, at);
  }
  Entries entries;
  if (PyTuple_Check(index.ptr()) || PyList_Check(index.ptr()))
    for (const nb::handle entry : index) entries.add(entry);
  else
    entries.add(index);
  const auto& [begin, end, options] = entries;
  return without_lock(0, [&] { return strided_slice(x, begin, end, options); });
}

}  // namespace alula::python
