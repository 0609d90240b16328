#pragma once
#include "alula/runtime/dispatch.h"

namespace alula {

/// Sums and means of groups of slices. segment_ids (int32 or int64) says for each slice along the
/// first dimensions of `data`, which have its shape, to which of num_segments groups it goes; those
/// with a negative id go nowhere. result: [num_segments, rest of data's dimensions]; 0 for a group
/// of nothing. Numbers.
///   unsorted_segment_sum({1, 2, 3}, {1, 0, 1}, 2)  ->  {2, 4}
Tensor unsorted_segment_sum(const Tensor& data, const Tensor& segment_ids, int64_t num_segments);
Tensor unsorted_segment_mean(const Tensor& data, const Tensor& segment_ids, int64_t num_segments);
/// The sum divided by the square root of the number of slices.
Tensor unsorted_segment_sqrt_n(const Tensor& data, const Tensor& segment_ids, int64_t num_segments);

/// The same for ids that ascend, a vector of known values: as many groups as the last one says.
///   segment_sum({1, 2, 3}, {0, 0, 2})  ->  {3, 0, 3}
Tensor segment_sum(const Tensor& data, const Tensor& segment_ids);
Tensor segment_mean(const Tensor& data, const Tensor& segment_ids);

struct BincountOptions {
  int64_t minlength = 0;   // at least so many bins
  int64_t maxlength = -1;  // at most so many, if not negative: larger values count nowhere
  DType dtype = int32;     // of the counts, where there are no weights
};
/// How many times each number occurs in a tensor of integers that are not negative; with weights of
/// the same shape, the sum of those. values: known when it is called.
///   bincount({1, 1, 3})  ->  {0, 2, 0, 1}
Tensor bincount(const Tensor& values, const Tensor& weights = {},
                const BincountOptions& options = {});

struct ConfusionMatrixOptions {
  int64_t num_classes = -1;  // as many as occur, unless set
  Tensor weights = {};       // one a label
  DType dtype = int32;
};
/// How many times each label (rows) was predicted as each class (columns). labels, predictions:
/// integers of one shape.
///   confusion_matrix({0, 1, 1}, {0, 1, 0})  ->  {{1, 0}, {1, 1}}
Tensor confusion_matrix(const Tensor& labels, const Tensor& predictions,
                        const ConfusionMatrixOptions& options = {});

struct SequenceMaskOptions {
  int64_t maxlen = -1;  // the largest length, unless set
  DType dtype = boolean;
};
/// True at the first lengths[...] places of a new last axis.
///   sequence_mask({1, 3})  ->  {{true, false, false}, {true, true, true}}
Tensor sequence_mask(const Tensor& lengths, const SequenceMaskOptions& options = {});

/// Each slice along an axis so many times; one number for all, or one for each.
///   repeat({1, 2}, {1, 3}, 0)  ->  {1, 2, 2, 2}
Tensor repeat(const Tensor& input, const std::vector<int64_t>& repeats, int64_t axis);

/// A copy of a tensor in which slices at positions given by the last dimension of `indices` are
/// added to, or replaced. As scatter_nd; where a place is named twice for replacing, the last one
/// counts. indices: [chosen..., k], updates: [chosen..., after...].
///   tensor_scatter_nd_update({1, 2, 3}, {{1}}, {9})  ->  {1, 9, 3}
Tensor tensor_scatter_nd_add(const Tensor& x, const Tensor& indices, const Tensor& updates);
Tensor tensor_scatter_nd_sub(const Tensor& x, const Tensor& indices, const Tensor& updates);
Tensor tensor_scatter_nd_update(const Tensor& x, const Tensor& indices, const Tensor& updates);

/// The op behind `tensor_scatter_nd_update`. Inputs: the tensor, indices, updates.
struct ScatterUpdate final : OpOf<ScatterUpdate> {
  static constexpr const char* kName = "scatter_update";
  static constexpr DTypeSet kDTypes = kAnyType;
  static constexpr bool kHost = true;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Tensors run_on_host(TensorRefs inputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return {.inputs = {1}, .outputs = {}}; }
};

}  // namespace alula
