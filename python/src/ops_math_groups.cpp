#include "python/src/ops.h"

// tf.math: sums of groups, and counting.
namespace alula::python {
namespace {

template <Tensor (*kFunction)(const Tensor&, const Tensor&)>
void def_segment(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](Like data, Like segment_ids, nb::handle) {
        const Tensor x = data.tensor(), ids = segment_ids.tensor();
        return computed(work_of(x), [&] { return kFunction(x, ids); });
      },
      "data"_a, "segment_ids"_a, name_argument(), doc);
}

template <Tensor (*kFunction)(const Tensor&, const Tensor&, int64_t)>
void def_unsorted_segment(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](Like data, Like segment_ids, nb::handle num_segments, nb::handle) {
        const Tensor x = data.tensor(), ids = segment_ids.tensor();
        const int64_t count = to_int(num_segments, "num_segments");
        return computed(work_of(x), [&] { return kFunction(x, ids, count); });
      },
      "data"_a, "segment_ids"_a, "num_segments"_a, name_argument(), doc);
}

Tensor is_not_zero(const Tensor& x) { return not_equal(x, zeros_like(x)); }

}  // namespace

void bind_ops_math_groups(nb::module_& math) {
  def_segment<segment_sum>(math, "segment_sum",
                           "The sums of groups of slices, whose numbers ascend.\n\n"
                           ">>> tf.math.segment_sum([1, 2, 3], [0, 0, 1]).numpy()\n"
                           "array([3, 3], dtype=int32)");
  def_segment<segment_mean>(math, "segment_mean",
                            "The means of groups of slices, whose numbers ascend.");
  def_unsorted_segment<unsorted_segment_sum>(
      math, "unsorted_segment_sum",
      "The sums of groups of slices; those with a negative number go nowhere.\n\n"
      ">>> tf.math.unsorted_segment_sum([1, 2, 3], [1, 0, 1], 2).numpy()\n"
      "array([2, 4], dtype=int32)");
  def_unsorted_segment<unsorted_segment_mean>(math, "unsorted_segment_mean",
                                              "The means of groups of slices.");
  def_unsorted_segment<unsorted_segment_sqrt_n>(
      math, "unsorted_segment_sqrt_n",
      "The sums of groups of slices, divided by the root of how many there are.");
  math.def(
      "bincount",
      [](Like arr, Like weights, nb::handle minlength, nb::handle maxlength, DTypeLike dtype,
         nb::handle) {
        const Tensor values = arr.tensor();
        return wrap(bincount(values, weights.is_none() ? Tensor() : weights.tensor(),
                             {.minlength = to_int(minlength, "minlength"),
                              .maxlength = to_int(maxlength, "maxlength", -1),
                              .dtype = dtype.value_or(int32)}));
      },
      "arr"_a, "weights"_a = nb::none(), "minlength"_a = nb::none(), "maxlength"_a = nb::none(),
      "dtype"_a = wrap(int32), name_argument(),
      "How many times each number occurs.\n\n>>> tf.math.bincount([1, 1, 3]).numpy()\n"
      "array([0, 2, 0, 1], dtype=int32)");
  math.def(
      "confusion_matrix",
      [](Like labels, Like predictions, nb::handle num_classes, Like weights, DTypeLike dtype,
         nb::handle) {
        return wrap(confusion_matrix(labels.tensor(), predictions.tensor(),
                                     {.num_classes = to_int(num_classes, "num_classes", -1),
                                      .weights = weights.is_none() ? Tensor() : weights.tensor(),
                                      .dtype = dtype.value_or(int32)}));
      },
      "labels"_a, "predictions"_a, "num_classes"_a = nb::none(), "weights"_a = nb::none(),
      "dtype"_a = wrap(int32), name_argument(),
      "How many times each label, a row, was predicted as each class, a column.\n\n"
      ">>> tf.math.confusion_matrix([0, 1, 1], [0, 1, 0]).numpy()\n"
      "array([[1, 0],\n       [1, 1]], dtype=int32)");
  math.def(
      "count_nonzero",
      [](Like input, nb::handle axis, nb::handle keepdims, DTypeLike dtype, nb::handle) {
        const Tensor x = input.tensor();
        const DType type = dtype.value_or(int64);
        const ReduceOptions options{
            .axis = to_axes(axis),
            .keepdims = !keepdims.is_none() && PyObject_IsTrue(keepdims.ptr()) == 1};
        return computed(work_of(x), [&] {
          return cast(reduce_sum(cast(is_not_zero(x), int64), options), type);
        });
      },
      "input"_a, "axis"_a = nb::none(), "keepdims"_a = nb::none(), "dtype"_a = wrap(int64),
      name_argument(), "How many elements are not 0 along some axes.");
  math.def(
      "zero_fraction",
      [](Like value, nb::handle) {
        const Tensor x = value.tensor();
        return computed(work_of(x), [&] {
          return sub(Tensor(1.f), reduce_mean(cast(is_not_zero(x), float32)));
        });
      },
      "value"_a, name_argument(), "Which part of the elements is 0.");
  def_of_one(
      math, "reciprocal_no_nan", "x",
      [](const Tensor& x) { return divide_no_nan(ones_like(x), x); },
      "1 / x; 0 where x is 0. Floating types.");
  def_of_one(
      math, "invert_permutation", "x", [](const Tensor& x) { return argsort(x); },
      "Where each position stands in a permutation.\n\n"
      ">>> tf.math.invert_permutation([2, 0, 1]).numpy()\narray([1, 2, 0], dtype=int32)");
  for (const char* name : {"is_non_decreasing", "is_strictly_increasing"}) {
    const bool strictly = name[3] == 's';
    math.def(
        name,
        [strictly](Like x, nb::handle) {
          const Tensor flat = reshape(x.tensor(), {-1});
          const int64_t n = std::max<int64_t>(flat.size() - 1, 0);
          const Tensor before = slice(flat, {0}, {n});
          const Tensor after = slice(flat, {std::min<int64_t>(1, flat.size())}, {n});
          return wrap(reduce_all(strictly ? less(before, after) : less_equal(before, after)));
        },
        "x"_a, name_argument(), "Whether each element is followed by none that is smaller.");
  }
}

}  // namespace alula::python
