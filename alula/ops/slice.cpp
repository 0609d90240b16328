#include "alula/ops/slice.h"

#include "alula/ops/pad.h"

namespace alula {
namespace {

const RegisterOp<Slice> registered;

}  // namespace

Tensor slice(const Tensor& x, const Ints& begin, const Ints& size) {
  return call(Slice(begin, size), x);
}

Tensor slice_along(const Tensor& x, int axis, int64_t begin, int64_t size) {
  Ints from, sizes(x.shape().begin(), x.shape().end());
  for (int i = 0; i < x.rank(); ++i) from.push_back(0);
  from[axis] = begin;
  sizes[axis] = size;
  return slice(x, from, sizes);
}

Specs Slice::infer(SpecRefs inputs) const {
  const Spec& x = inputs[0];
  const auto rank = static_cast<size_t>(x.rank());
  require(begin.size() == rank && size.size() == rank,
          "{}: begin and size need a number for each dimension. Got begin {}, size {} for {}.",
          kName, begin, size, x);
  Shape shape;
  for (int i = 0; i < x.rank(); ++i) {
    const int64_t dim = x.shape[i];
    require(begin[i] >= 0 && size[i] >= -1,
            "{}: begin cannot be negative, nor size but for -1. Got begin {}, size {}.", kName,
            begin, size);
    if (dim == kUnknown) {
      shape.push_back(size[i] == -1 ? kUnknown : size[i]);
      continue;
    }
    require(begin[i] <= dim && size[i] <= dim - begin[i],
            "{}: the block leaves dimension {}. Got begin {}, size {} for {}.", kName, i, begin,
            size, x);
    shape.push_back(size[i] == -1 ? dim - begin[i] : size[i]);
  }
  return {x.with(shape)};
}

/// The block, with zeros around it.
Gradients Slice::gradient(const Recorded& call) const {
  const Shape &from = call.input_spec().shape, &block = call.output_spec().shape;
  Paddings around;
  for (int i = 0; i < from.rank(); ++i)
    around.push_back({.before = begin[i], .after = from[i] - begin[i] - block[i]});
  return {pad(call.dy(), around)};
}

Tensors Slice::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  Ints from{0}, sizes{size};
  for (int64_t each : begin) from.push_back(each);
  for (int64_t each : this->size) sizes.push_back(each);
  return {slice(inputs[0].value, from, sizes)};
}

Attributes Slice::attributes() const { return {{"begin", begin}, {"size", size}}; }

}  // namespace alula
