#pragma once
#include "alula/ops/axes.h"
#include "alula/ops/data_movement.h"

/// What the rules for many calls at once (`Op::batched`) share. A rule is asked for at least one
/// element, and, unless its op takes no inputs or draws random numbers, one of its inputs is
/// batched: what is the same for all elements is computed once, by an ordinary call.
namespace alula::batching {

using Inputs = std::span<const BatchedInput>;

/// The shape that one call sees.
Shape element_shape(const BatchedInput& input);

/// An input with the leading dimension of `size`; one that is the same for all calls is repeated.
Tensor repeated(const BatchedInput& input, int64_t size);
Tensors all_repeated(Inputs inputs, int64_t size);

/// The inputs of an op that broadcasts, so that they broadcast as those of one call do. Where an
/// element has fewer dimensions than another, its batch gets ones: [size, 3] beside an element of
/// [2, 3] becomes [size, 1, 3].
Tensors aligned(Inputs inputs);
/// One batched tensor for elements of that rank: [size, 1…, element…].
Tensor with_element_rank(const Tensor& x, int rank);

/// An axis of an element, where it is behind the leading dimension. One counted from the end stays.
constexpr int64_t behind(int64_t axis) { return axis < 0 ? axis : axis + 1; }
/// The axes of an element of that rank; all of them become a list.
Axes behind(const Axes& axes, int rank);

/// An op with one input whose `axis` is all that knows of dimensions.
template <class AxisOp>
Tensors with_axis_behind(AxisOp op, const BatchedInput& input) {
  if constexpr (std::same_as<decltype(op.axis), Axes>)
    op.axis = behind(op.axis, element_shape(input).rank());
  else
    op.axis = behind(op.axis);
  return call_all(op, {&input.value, 1});
}

/// [size, n, …] as [size * n, …], for an op whose first dimension is a batch already; and back.
Tensor folded(const Tensor& x);
Tensor unfolded(const Tensor& x, int64_t size);

/// The dimension `from` moved to place `to`; the others keep their order.
Tensor moved_axis(const Tensor& x, int from, int to);

/// The elements beside one another along an axis: [size, a, n, b] with the element's axis 1 becomes
/// [a, size * n, b]; and back.
Tensor merged(const Tensor& x, int axis);
Tensor parted(const Tensor& x, int axis, int64_t size);

/// An op that takes any leading dimensions, as long as all inputs have them.
Tensors with_leading(const Op& op, Inputs inputs, int64_t size);
/// An op whose inputs and outputs all have a first dimension that is a batch.
Tensors with_folded(const Op& op, Inputs inputs, int64_t size);
/// An op without inputs: its result is made once, and repeated.
Tensors made_once(const Op& op, int64_t size);
/// One call an element. For rare ops, and those for which nothing is faster.
Tensors in_loop(const Op& op, Inputs inputs, int64_t size);

}  // namespace alula::batching
