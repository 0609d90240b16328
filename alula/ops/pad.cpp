#include "alula/ops/pad.h"

#include "alula/ops/fill.h"
#include "alula/ops/operators.h"
#include "alula/ops/reverse.h"
#include "alula/ops/slice.h"

namespace alula {
namespace {

const RegisterOp<Pad> registered;

}  // namespace

Tensor pad(const Tensor& x, const Paddings& paddings, const PadOptions& options) {
  return call(Pad(paddings, options), x);
}

Specs Pad::infer(SpecRefs inputs) const {
  const Spec& x = inputs[0];
  require(paddings.size() == static_cast<size_t>(x.rank()),
          "{}: paddings needs a pair for each dimension. Got {} pairs for {}.", kName,
          paddings.size(), x);
  require(x.dtype == string || mode != PadMode::kConstant || is_element(constant_values, x.dtype),
          "{}: {} is not a value of {}, the dtype of the input.", kName,
          constant_values.as_double(), x.dtype);
  Shape shape = x.shape;
  for (int i = 0; i < x.rank(); ++i) {
    const auto [before, after] = paddings[i];
    require(before >= 0 && after >= 0,
            "{}: paddings cannot be negative. Got [{},{}] for dimension {} of {}.", kName, before,
            after, i, x);
    int64_t& dim = shape[i];
    if (dim == kUnknown) continue;
    const int64_t most = mode == PadMode::kReflect ? dim - 1 : dim;
    require(
        mode == PadMode::kConstant || (before == 0 && after == 0) ||
            (before <= most && after <= most),
        "{}: dimension {} has too few elements to be mirrored: at most {} can be added on a side. "
        "Got [{},{}] for {}.",
        kName, i, std::max<int64_t>(most, 0), before, after, x);
    const bool overflows =
        __builtin_add_overflow(dim, before, &dim) || __builtin_add_overflow(dim, after, &dim);
    require(!overflows, "{}: the result has too many elements to count. Got {}.", kName, x);
  }
  return {x.with(shape)};
}

namespace {

/// Adds to x the elements of `border`, in reverse, from `begin` on along an axis.
Tensor fold_back(const Tensor& x, const Tensor& border, int axis, int64_t begin) {
  Paddings around;
  for (int i = 0; i < x.rank(); ++i) around.push_back({});
  around[axis] = {.before = begin, .after = x.shape()[axis] - begin - border.shape()[axis]};
  return x + pad(reverse(border, axis), around);
}

}  // namespace

/// The border is cut off. Where it mirrors the inside, it is folded back there first.
Gradients Pad::gradient(const Recorded& call) const {
  const Shape& inside = call.input_spec().shape;
  if (mode == PadMode::kConstant) {
    Ints begin;
    for (const PadSize& padding : paddings) begin.push_back(padding.before);
    return {slice(call.dy(), begin, Ints(inside.begin(), inside.end()))};
  }
  const int64_t edge = mode == PadMode::kReflect ? 1 : 0;  // elements that are not mirrored
  Tensor dx = call.dy();
  for (int i = 0; i < inside.rank(); ++i) {
    const auto [before, after] = paddings[i];
    if (before == 0 && after == 0) continue;
    const int64_t size = inside[i];
    const Tensor padded = dx;
    dx = slice_along(padded, i, before, size);
    if (before > 0) dx = fold_back(dx, slice_along(padded, i, 0, before), i, edge);
    if (after > 0)
      dx = fold_back(dx, slice_along(padded, i, before + size, after), i, size - edge - after);
  }
  return {dx};
}

Tensors Pad::batched(std::span<const BatchedInput> inputs, int64_t) const {
  Paddings around{PadSize{}};
  for (const PadSize& padding : paddings) around.push_back(padding);
  return {pad(inputs[0].value, around, *this)};
}

Attributes Pad::attributes() const {
  std::string pairs;
  for (const auto& [before, after] : paddings)
    pairs += fmt::format("{}[{},{}]", pairs.empty() ? "" : ",", before, after);
  Attributes attributes = {{"paddings", "[" + pairs + "]"}};
  if (mode == PadMode::kConstant)
    attributes.emplace_back("constant_values", constant_values);
  else
    attributes.emplace_back("mode", mode == PadMode::kReflect ? "REFLECT" : "SYMMETRIC");
  return attributes;
}

}  // namespace alula
