#include "alula/ops/reshape.h"

#include <algorithm>

#include "alula/ops/batching.h"

namespace alula {
namespace {

const RegisterOp<Reshape> registered_reshape;
const RegisterOp<ExpandDims> registered_expand_dims;
const RegisterOp<Squeeze> registered_squeeze;
const RegisterOp<Identity> registered_identity;

}  // namespace

Tensor reshape(const Tensor& x, const Shape& shape) { return call(Reshape(shape), x); }
Tensor expand_dims(const Tensor& x, int64_t axis) { return call(ExpandDims(axis), x); }
Tensor squeeze(const Tensor& x, const Axes& axis) { return call(Squeeze(axis), x); }
Tensor identity(const Tensor& x) { return call(Identity(), x); }

Specs Reshape::infer(SpecRefs inputs) const {
  const Spec& x = inputs[0];
  const auto open = std::count(shape.begin(), shape.end(), -1);
  require(open <= 1, "{}: only one dimension may be -1. Got the shape {} for {}.", kName, shape, x);
  // With an unknown dimension in the input, what -1 stands for is unknown too.
  if (!x.shape.is_known()) return {x.with(shape)};
  const int64_t size = x.shape.checked_size(kName);
  if (open == 0) {
    require(shape.checked_size(kName) == size,
            "{}: the shape {} has another number of elements. Got {}. Leave one dimension to be "
            "found out with -1.",
            kName, shape, x);
    return {x.with(shape)};
  }
  const auto axis = static_cast<int>(std::find(shape.begin(), shape.end(), -1) - shape.begin());
  const int64_t rest = shape.with(axis, 1).checked_size(kName);
  require(rest != 0,
          "{}: -1 beside a dimension of size 0 could be any size. Got the shape {} for {}.", kName,
          shape, x);
  require(size % rest == 0,
          "{}: the elements do not fill the shape {}: {} is no multiple of {}. Got {}.", kName,
          shape, size, rest, x);
  return {x.with(shape.with(axis, size / rest))};
}

Specs ExpandDims::infer(SpecRefs inputs) const {
  const Spec& x = inputs[0];
  require(x.rank() < kMaxRank, "{}: at most {} dimensions are supported. Got {}.", kName, kMaxRank,
          x);
  return {x.with(x.shape.with_inserted(normalize_axis(kName, axis, x.rank() + 1), 1))};
}

Specs Squeeze::infer(SpecRefs inputs) const {
  const Spec& x = inputs[0];
  const auto chosen = axis.among(kName, x.rank());
  Shape shape;
  for (int i = 0; i < x.rank(); ++i) {
    const int64_t dim = x.shape[i];
    if (axis.all()) {
      require(dim != kUnknown,
              "{}: whether dimension {} is of size 1 is unknown. Got {}. Name the axes.", kName, i,
              x);
      if (dim != 1) shape.push_back(dim);
    } else if (!chosen[i]) {
      shape.push_back(dim);
    } else {
      require(dim == 1 || dim == kUnknown, "{}: dimension {} is of size {}, not 1. Got {}.", kName,
              i, dim, x);
    }
  }
  return {x.with(shape)};
}

Tensors Reshape::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return {reshape(inputs[0].value, Shape{size} + shape)};
}

Tensors ExpandDims::batched(std::span<const BatchedInput> inputs, int64_t) const {
  return batching::with_axis_behind(*this, inputs[0]);
}

/// Without named axes, the leading dimension must not be dropped, either, where it is 1.
Tensors Squeeze::batched(std::span<const BatchedInput> inputs, int64_t) const {
  if (!axis.all()) return batching::with_axis_behind(*this, inputs[0]);
  const Shape element = batching::element_shape(inputs[0]);
  std::vector<int64_t> ones;
  for (int i = 0; i < element.rank(); ++i)
    if (element[i] == 1) ones.push_back(i + 1);
  return {squeeze(inputs[0].value, ones)};
}

Tensors Identity::batched(std::span<const BatchedInput> inputs, int64_t) const {
  return {identity(inputs[0].value)};
}

Attributes Reshape::attributes() const { return {{"shape", shape}}; }

Attributes ExpandDims::attributes() const { return {{"axis", axis}}; }

Attributes Squeeze::attributes() const { return {{"axis", axis}}; }

}  // namespace alula
