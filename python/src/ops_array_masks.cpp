#include "python/src/ops.h"

// tf.*: what depends on the values of masks, lengths and positions.
namespace alula::python {
namespace {

template <Tensor (*kFunction)(const Tensor&, const Tensor&, const Tensor&)>
void def_scatter(nb::module_& m, const char* name, const std::string& doc) {
  m.def(
      name,
      [](Like tensor, Like indices, Like updates, nb::handle, nb::handle) {
        const Tensor x = tensor.tensor(), at = indices.tensor();
        const Tensor values = updates.tensor(x.dtype());
        return computed(work_of(x), [&] { return kFunction(x, at, values); });
      },
      "tensor"_a, "indices"_a, "updates"_a, name_argument(), "bad_indices_policy"_a = "",
      doc.c_str());
}

}  // namespace

void bind_ops_array_masks(nb::module_& m) {
  def_of_one(m, "_nonzero", "condition", nonzero, "Where the elements are that are not 0.");
  m.def(
      "boolean_mask",
      [](Like tensor, Like mask, nb::handle axis, nb::handle) {
        const Tensor x = tensor.tensor(), holds = mask.tensor();
        const BooleanMaskOptions options{.axis = to_int(axis, "axis")};
        return computed(work_of(x), [&] { return boolean_mask(x, holds, options); });
      },
      "tensor"_a, "mask"_a, "axis"_a = nb::none(), "name"_a = "boolean_mask",
      "The parts of a tensor where a mask is true.\n\n"
      ">>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy()\narray([1, 3], dtype=int32)");
  m.def(
      "_unique",
      [](Like x, DTypeLike out_idx) {
        const Tensor tensor = x.tensor();
        const DType type = out_idx.value_or(int32);
        const UniqueResult result =
            without_lock(work_of(tensor), [&] { return unique(tensor, type); });
        return nb::make_tuple(wrap(result.y), wrap(result.idx), wrap(result.count));
      },
      "x"_a, "out_idx"_a);
  m.def(
      "sequence_mask",
      [](Like lengths, nb::handle maxlen, DTypeLike dtype, nb::handle) {
        return wrap(sequence_mask(lengths.tensor(), {.maxlen = to_int(maxlen, "maxlen", -1),
                                                     .dtype = dtype.value_or(boolean)}));
      },
      "lengths"_a, "maxlen"_a = nb::none(), "dtype"_a = wrap(boolean), name_argument(),
      "True at the first `lengths` places of a new last axis.\n\n"
      ">>> tf.sequence_mask([1, 3], dtype=tf.int32).numpy()\n"
      "array([[1, 0, 0],\n       [1, 1, 1]], dtype=int32)");
  m.def(
      "repeat",
      [](Like input, nb::handle repeats, nb::handle axis, nb::handle) {
        const Tensor x = input.tensor();
        const std::vector<int64_t> times = to_ints(repeats, "repeats");
        // Without an axis it is flat, as NumPy has it.
        return axis.is_none() ? wrap(repeat(reshape(x, {-1}), times, 0))
                              : wrap(repeat(x, times, to_int(axis, "axis")));
      },
      "input"_a, "repeats"_a, "axis"_a = nb::none(), name_argument(),
      "Each slice along an axis so many times.\n\n>>> tf.repeat([1, 2], [1, 3]).numpy()\n"
      "array([1, 2, 2, 2], dtype=int32)");
  m.def(
      "meshgrid",
      [](const nb::args& args, const std::string& indexing, nb::handle) {
        require(indexing == "xy" || indexing == "ij",
                "meshgrid: the indexing is \"xy\" or \"ij\". Got {}.", indexing);
        std::vector<Tensor> vectors;
        for (const nb::handle vector : args) vectors.push_back(to_tensor(vector));
        return wrap_all(meshgrid(vectors, indexing == "xy" ? Indexing::kXY : Indexing::kIJ));
      },
      "args"_a, "indexing"_a = "xy", name_argument(),
      "Coordinates of a grid.\n\n>>> tf.meshgrid([1, 2], [3, 4, 5])[0].numpy()\n"
      "array([[1, 2],\n       [1, 2],\n       [1, 2]], dtype=int32)");
  def_scatter<tensor_scatter_nd_add>(m, "tensor_scatter_nd_add",
                                     "A tensor with slices added at some positions. Numbers.");
  def_scatter<tensor_scatter_nd_sub>(m, "tensor_scatter_nd_sub",
                                     "A tensor with slices subtracted at some positions. Numbers.");
  def_scatter<tensor_scatter_nd_update>(
      m, "tensor_scatter_nd_update",
      described("A tensor with other slices at some positions.\n\n"
                ">>> tf.tensor_scatter_nd_update([1, 2, 3], [[1]], [9]).numpy()\n"
                "array([1, 9, 3], dtype=int32)",
                "scatter_update"));
  m.def(
      "clip_by_norm",
      [](Like t, Like clip_norm, nb::handle axes, nb::handle) {
        const Tensor x = t.tensor(), most = clip_norm.tensor(x.dtype());
        const ClipByNormOptions options{.axes = to_axes(axes)};
        return computed(work_of(x), [&] { return clip_by_norm(x, most, options); });
      },
      "t"_a, "clip_norm"_a, "axes"_a = nb::none(), name_argument(),
      "A tensor, made shorter where its length is above clip_norm. Floating types.\n\n"
      ">>> tf.clip_by_norm([3.0, 4.0], 1.0).numpy()\narray([0.6, 0.8], dtype=float32)");
  m.def(
      "clip_by_global_norm",
      [](nb::handle t_list, Like clip_norm, Like use_norm, nb::handle) {
        // None stands for what has no gradient, and stays.
        std::vector<Tensor> tensors;
        std::vector<bool> there;
        for (const nb::handle value : t_list) {
          there.push_back(!value.is_none());
          if (there.back()) tensors.push_back(to_tensor(value));
        }
        const Tensor most = clip_norm.tensor(float32);
        const Tensor length = use_norm.is_none() ? Tensor() : use_norm.tensor();
        const ClippedByGlobalNorm result =
            without_lock([&] { return clip_by_global_norm(tensors, most, length); });
        nb::list clipped;
        size_t next = 0;
        for (const bool one : there)
          clipped.append(one ? nb::object(wrap(result.tensors[next++])) : nb::object(nb::none()));
        return nb::make_tuple(clipped, wrap(result.global_norm));
      },
      "t_list"_a, "clip_norm"_a, "use_norm"_a = nb::none(), name_argument(),
      "Tensors made shorter together where their length is above clip_norm, and that length.\n\n"
      ">>> clipped, length = tf.clip_by_global_norm([[3.0], [4.0]], 2.5)\n"
      ">>> [float(t[0]) for t in clipped], float(length)\n([1.5, 2.0], 5.0)");
}

}  // namespace alula::python
