#include "python/src/ops.h"

// tf.*: elements by position, by order and by condition.
namespace alula::python {
namespace {

SortOptions to_sort_options(nb::handle axis, const std::string& direction) {
  require(direction == "ASCENDING" || direction == "DESCENDING",
          "sort: the direction is ASCENDING or DESCENDING. Got {}.", direction);
  return {.axis = to_int(axis, "axis", -1),
          .direction =
              direction == "ASCENDING" ? SortDirection::kAscending : SortDirection::kDescending};
}

Tensor one_hot_of(Like indices, nb::handle depth, Like on_value, Like off_value, nb::handle axis,
                  DTypeLike dtype) {
  // Without a dtype it is that of the values, and float32 without those.
  DType type = dtype.value_or(!on_value.is_none()    ? on_value.tensor().dtype()
                              : !off_value.is_none() ? off_value.tensor().dtype()
                                                     : float32);
  const auto number = [&](Like value, Number other) {
    if (value.is_none()) return other;
    const Tensor scalar = value.tensor(type);
    require(scalar.dtype() == type, "one_hot: on_value and off_value must be {}. Got {}.", type,
            scalar.spec());
    return to_number(scalar, "one_hot");
  };
  const Number on = number(on_value, type == boolean ? Number(true) : Number(1));
  const Number off = number(off_value, type == boolean ? Number(false) : Number(0));
  const Tensor at = indices.tensor();
  const int64_t size = to_int(depth, "depth");
  const OneHotOptions options{
      .on_value = on, .off_value = off, .axis = to_int(axis, "axis", -1), .dtype = type};
  return without_lock(work_of(at) * std::max<int64_t>(size, 1),
                      [&] { return one_hot(at, size, options); });
}

}  // namespace

void bind_ops_array_choosing(nb::module_& m) {
  m.def(
      "gather",
      [](Like params, Like indices, nb::handle, nb::handle axis, nb::handle batch_dims,
         nb::handle) {
        const Tensor x = params.tensor(), at = indices.tensor();
        const GatherOptions options{.axis = to_int(axis, "axis", GatherOptions::kBehindBatch),
                                    .batch_dims = to_int(batch_dims, "batch_dims")};
        return computed(work_of(at), [&] { return gather(x, at, options); });
      },
      "params"_a, "indices"_a, "validate_indices"_a = nb::none(), "axis"_a = nb::none(),
      "batch_dims"_a = 0, name_argument(),
      described("The slices of a tensor at these positions along an axis.\n\n"
                ">>> tf.gather([10, 20, 30], [2, 0]).numpy()\narray([30, 10], dtype=int32)",
                "gather")
          .c_str());
  m.def(
      "gather_nd",
      [](Like params, Like indices, nb::handle batch_dims, nb::handle, nb::handle) {
        const Tensor x = params.tensor(), at = indices.tensor();
        const GatherNdOptions options{.batch_dims = to_int(batch_dims, "batch_dims")};
        return computed(work_of(at), [&] { return gather_nd(x, at, options); });
      },
      "params"_a, "indices"_a, "batch_dims"_a = 0, name_argument(), "bad_indices_policy"_a = "",
      described("The slices at positions that the last dimension of `indices` gives.\n\n"
                ">>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy()\n"
                "array([2, 3], dtype=int32)",
                "gather_nd")
          .c_str());
  m.def(
      "one_hot",
      [](Like indices, nb::handle depth, Like on_value, Like off_value, nb::handle axis,
         DTypeLike dtype,
         nb::handle) { return wrap(one_hot_of(indices, depth, on_value, off_value, axis, dtype)); },
      "indices"_a, "depth"_a, "on_value"_a = nb::none(), "off_value"_a = nb::none(),
      "axis"_a = nb::none(), "dtype"_a = nb::none(), name_argument(),
      described("A new dimension with `on_value` at the position that each index says.\n\n"
                ">>> tf.one_hot([0, 2], 3).numpy()\n"
                "array([[1., 0., 0.],\n       [0., 0., 1.]], dtype=float32)",
                "one_hot")
          .c_str());
  m.def(
      "scatter_nd",
      [](Like indices, Like updates, ShapeLike shape, nb::handle, nb::handle) {
        const Tensor at = indices.tensor(), values = updates.tensor();
        const Shape dims = shape.get();
        return computed(dims.size(), [&] { return scatter_nd(at, values, dims); });
      },
      "indices"_a, "updates"_a, "shape"_a, name_argument(), "bad_indices_policy"_a = "",
      described("Zeros of a shape, with slices added at some positions.\n\n"
                ">>> tf.scatter_nd([[1], [3], [1]], [10, 20, 5], [4]).numpy()\n"
                "array([ 0, 15,  0, 20], dtype=int32)",
                "scatter_nd")
          .c_str());
  m.def(
      "_where",
      [](Like condition, Like x, Like y) {
        const Tensor holds = condition.tensor();
        const Pair values(x, y);
        return computed(std::max(work_of(holds), values.work()),
                        [&] { return where(holds, values.a, values.b); });
      },
      "condition"_a, "x"_a, "y"_a);
  m.def(
      "sort",
      [](Like values, nb::handle axis, const std::string& direction, nb::handle) {
        const Tensor x = values.tensor();
        const SortOptions options = to_sort_options(axis, direction);
        return computed(work_of(x), [&] { return alula::sort(x, options); });
      },
      "values"_a, "axis"_a = -1, "direction"_a = "ASCENDING", name_argument(),
      described("The elements in order along an axis. NaN comes last.\n\n"
                ">>> tf.sort([3, 1, 2], direction=\"DESCENDING\").numpy()\n"
                "array([3, 2, 1], dtype=int32)",
                "sort")
          .c_str());
  m.def(
      "argsort",
      [](Like values, nb::handle axis, const std::string& direction, bool, nb::handle) {
        const Tensor x = values.tensor();
        const SortOptions options = to_sort_options(axis, direction);
        return computed(work_of(x), [&] { return argsort(x, options); });
      },
      "values"_a, "axis"_a = -1, "direction"_a = "ASCENDING", "stable"_a = false, name_argument(),
      described("Where the elements of `sort` stood. Equal ones keep their order.", "argsort")
          .c_str());
  m.def(
      "searchsorted",
      [](Like sorted_sequence, Like values, const std::string& side, DTypeLike out_type,
         nb::handle) {
        require(side == "left" || side == "right",
                "searchsorted: the side is \"left\" or \"right\". Got {}.", side);
        const Pair pair(sorted_sequence, values);
        const SearchSortedOptions options{.right = side == "right",
                                          .out_type = out_type.value_or(int32)};
        return computed(pair.work(), [&] { return searchsorted(pair.a, pair.b, options); });
      },
      "sorted_sequence"_a, "values"_a, "side"_a = "left", "out_type"_a = wrap(int32),
      name_argument(),
      described("Where each value would have to be inserted to keep the order.\n\n"
                ">>> tf.searchsorted([1, 3, 5], [0, 3, 9]).numpy()\n"
                "array([0, 1, 3], dtype=int32)",
                "searchsorted")
          .c_str());
  m.def(
      "clip_by_value",
      [](Like t, Like clip_value_min, Like clip_value_max, nb::handle) {
        const Tensor x = t.tensor();
        const Tensor low = clip_value_min.tensor(x.dtype());
        const Tensor high = clip_value_max.tensor(x.dtype());
        return computed(work_of(x), [&] { return clip(x, low, high); });
      },
      "t"_a, "clip_value_min"_a, "clip_value_max"_a, name_argument(),
      described("The elements, but at least the one value and at most the other.\n\n"
                ">>> tf.clip_by_value([-1.0, 0.5, 8.0], 0.0, 1.0).numpy()\n"
                "array([0. , 0.5, 1. ], dtype=float32)",
                clip)
          .c_str());
}

}  // namespace alula::python
