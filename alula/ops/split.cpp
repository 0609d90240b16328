#include "alula/ops/split.h"

#include "alula/ops/batching.h"
#include "alula/ops/concat.h"

namespace alula {
namespace {

const RegisterOp<Split> registered_split;
const RegisterOp<Unstack> registered_unstack;

}  // namespace

Ints Splits::of(const char* who, int64_t dim) const {
  Ints sizes;
  if (equal_) {
    require(count_ > 0, "{}: there must be at least one piece. Got {}.", who, count_);
    require(dim % count_ == 0 || dim == kUnknown,
            "{}: {} pieces do not divide {}. Give their sizes.", who, count_, dim);
    for (int64_t i = 0; i < count_; ++i) sizes.push_back(dim == kUnknown ? dim : dim / count_);
    return sizes;
  }
  int64_t total = 0, open = 0;
  for (const int64_t size : sizes_) {
    require(size >= -1, "{}: a size cannot be negative. Got {}.", who, sizes_);
    open += size == -1;
    const bool overflows = __builtin_add_overflow(total, size == -1 ? 0 : size, &total);
    require(!overflows, "{}: the sizes are too large. Got {}.", who, sizes_);
  }
  require(open <= 1, "{}: only one size may be -1. Got {}.", who, sizes_);
  require(dim == kUnknown || (open == 1 ? total <= dim : total == dim),
          "{}: the sizes {} do not add up to {}.", who, sizes_, dim);
  for (const int64_t size : sizes_)
    sizes.push_back(size != -1 ? size : dim == kUnknown ? kUnknown : dim - total);
  return sizes;
}

Tensors split(const Tensor& x, const Splits& num_or_size_splits, int64_t axis) {
  return call_all(Split(num_or_size_splits, axis), std::span(&x, 1));
}

Tensors unstack(const Tensor& x, int64_t axis) { return call_all(Unstack(axis), std::span(&x, 1)); }

Specs Split::infer(SpecRefs inputs) const {
  const Spec& x = inputs[0];
  const int along = normalize_axis(kName, axis, x.rank());
  Specs pieces;
  for (const int64_t size : splits.of(kName, x.shape[along]))
    pieces.push_back(x.with(x.shape.with(along, size)));
  return pieces;
}

Specs Unstack::infer(SpecRefs inputs) const {
  const Spec& x = inputs[0];
  const int along = normalize_axis(kName, axis, x.rank());
  const int64_t count = x.shape[along];
  require(count != kUnknown, "{}: how many slices there are is unknown. Got {}.", kName, x);
  Specs slices;
  for (int64_t i = 0; i < count; ++i) slices.push_back(x.with(x.shape.without(along)));
  return slices;
}

Gradients Split::gradient(const Recorded& call) const { return {concat(call.all_dy(), axis)}; }

Gradients Unstack::gradient(const Recorded& call) const { return {stack(call.all_dy(), axis)}; }

Tensors Split::batched(std::span<const BatchedInput> inputs, int64_t) const {
  return batching::with_axis_behind(*this, inputs[0]);
}
Tensors Unstack::batched(std::span<const BatchedInput> inputs, int64_t) const {
  return batching::with_axis_behind(*this, inputs[0]);
}

Attributes Split::attributes() const { return {{"num_or_size_splits", splits}, {"axis", axis}}; }

Attributes Unstack::attributes() const { return {{"axis", axis}}; }

}  // namespace alula
