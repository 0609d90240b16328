#include "alula/ops/reverse.h"

#include "alula/ops/batching.h"

namespace alula {
namespace {

const RegisterOp<Reverse> registered_reverse;
const RegisterOp<Roll> registered_roll;

}  // namespace

Tensor reverse(const Tensor& x, const Axes& axis) { return call(Reverse(axis), x); }

Tensor roll(const Tensor& x, const Ints& shift, const Ints& axis) {
  return call(Roll(shift, axis), x);
}

Specs Reverse::infer(SpecRefs inputs) const {
  axis.among(kName, inputs[0].rank());
  return {inputs[0]};
}

Ints Roll::shifts(const Shape& shape) const {
  Ints shifts;
  for (int i = 0; i < shape.rank(); ++i) shifts.push_back(0);
  for (size_t k = 0; k < axis.size(); ++k) {
    const int i = normalize_axis(kName, axis[k], shape.rank());
    const int64_t dim = shape[i];
    if (dim <= 0) continue;
    // The shifts of an axis that is named twice add up, as in TensorFlow.
    shifts[i] = ((shifts[i] + shift[k] % dim) % dim + dim) % dim;
  }
  return shifts;
}

Specs Roll::infer(SpecRefs inputs) const {
  require(shift.size() == axis.size(),
          "{}: there must be a shift for each axis. Got shift {}, axis {} for {}.", kName, shift,
          axis, inputs);
  shifts(inputs[0].shape);
  return {inputs[0]};
}

Gradients Reverse::gradient(const Recorded& call) const { return {reverse(call.dy(), axis)}; }

Gradients Roll::gradient(const Recorded& call) const {
  Ints back = shifts(call.input_spec().shape), axes;
  for (int64_t& shift : back) {
    shift = -shift;
    axes.push_back(static_cast<int64_t>(axes.size()));
  }
  return {roll(call.dy(), back, axes)};
}

Tensors Reverse::batched(std::span<const BatchedInput> inputs, int64_t) const {
  return batching::with_axis_behind(*this, inputs[0]);
}

Tensors Roll::batched(std::span<const BatchedInput> inputs, int64_t) const {
  Ints moved;
  for (int64_t each : axis) moved.push_back(batching::behind(each));
  return {roll(inputs[0].value, shift, moved)};
}

Attributes Reverse::attributes() const { return {{"axis", axis}}; }

Attributes Roll::attributes() const { return {{"shift", shift}, {"axis", axis}}; }

}  // namespace alula
