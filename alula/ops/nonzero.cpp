#include "alula/ops/nonzero.h"

#include <unordered_map>

#include "alula/ops/attributes.h"
#include "alula/ops/cast.h"
#include "alula/ops/gather.h"
#include "alula/ops/reshape.h"

namespace alula {
namespace {

const RegisterOp<NonZero> registered_nonzero;
const RegisterOp<Unique> registered_unique;

/// Fills idx and count, and says where each new value stands first.
template <class T, class Key, class Index>
std::vector<int64_t> number_values(std::span<const T> values, Index* idx,
                                   std::vector<int64_t>& counts) {
  std::unordered_map<Key, int64_t> numbers;
  std::vector<int64_t> firsts;
  for (size_t i = 0; i < values.size(); ++i) {
    const Key key = static_cast<Key>(values[i]);
    // A NaN is different from all, also from other NaNs, as in TensorFlow.
    int64_t number = static_cast<int64_t>(firsts.size());
    if (key == key) number = numbers.try_emplace(key, number).first->second;
    if (number == static_cast<int64_t>(firsts.size())) {
      firsts.push_back(static_cast<int64_t>(i));
      counts.push_back(0);
    }
    ++counts[static_cast<size_t>(number)];
    idx[i] = static_cast<Index>(number);
  }
  return firsts;
}

template <class Index>
std::vector<int64_t> number_any(const Tensor& x, Index* idx, std::vector<int64_t>& counts) {
  if (x.dtype() == string)
    return number_values<std::string, std::string>(x.span<std::string>(), idx, counts);
  if (is_floating(x.dtype())) {
    const Tensor wide = cast(x, float64);
    return number_values<double, double>(wide.span<double>(), idx, counts);
  }
  const Tensor wide = cast(x, int64);  // keeps the bits of uint64
  return number_values<int64_t, int64_t>(wide.span<int64_t>(), idx, counts);
}

template <class Index>
Tensors unique_of(const Tensor& x, DType out_idx) {
  Tensor idx = Tensor::uninitialized({out_idx, x.shape()});
  std::vector<int64_t> counts;
  const std::vector<int64_t> firsts =
      number_any(x, static_cast<Index*>(idx.mutable_data()), counts);
  const Shape found{static_cast<int64_t>(firsts.size())};
  const Tensor y = gather(x, Tensor(firsts, found));
  return {y, idx, cast(Tensor(counts, found), out_idx)};
}

}  // namespace

Specs NonZero::infer(SpecRefs inputs) const {
  require(kDTypes.contains(inputs[0].dtype), "{}: takes {}. Got {}.", kName, kDTypes, inputs);
  return {{int64, {kUnknown, inputs[0].rank()}}};
}

/// In a loop: each element has as many as it has, and those of all must be as many.
Tensors NonZero::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::in_loop(*this, inputs, size);
}

Tensors NonZero::run_on_host(TensorRefs inputs) const {
  const Tensor holds = cast(inputs[0], boolean);
  const Shape& shape = holds.shape();
  const bool* at = holds.span<bool>().data();
  std::vector<int64_t> coordinates;
  int64_t found = 0;
  for (int64_t i = 0; i < holds.size(); ++i) {
    if (!at[i]) continue;
    ++found;
    const size_t row = coordinates.size();
    coordinates.resize(row + static_cast<size_t>(shape.rank()));
    int64_t rest = i;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      coordinates[row + static_cast<size_t>(axis)] = rest % shape[axis];
      rest /= shape[axis];
    }
  }
  return {Tensor(coordinates, {found, shape.rank()})};
}

Tensor nonzero(const Tensor& condition) {
  require(condition.defined(), "nonzero: the input is not defined yet.");
  return call(NonZero(), condition);
}

Tensor boolean_mask(const Tensor& x, const Tensor& mask, const BooleanMaskOptions& options) {
  require(x.defined() && mask.defined(), "boolean_mask: an input is not defined yet.");
  require(mask.dtype() == boolean && mask.rank() > 0,
          "boolean_mask: the mask must be bool, and no scalar. Got {}.", mask.spec());
  const int axis = normalize_axis("boolean_mask", options.axis, x.rank());
  const int end = axis + mask.rank();
  require(
      end <= x.rank() && compatible(x.shape().slice(axis, end), mask.shape()),
      "boolean_mask: the mask must have the dimensions of x from axis {} on. Got x {}, mask {}.",
      axis, x.spec(), mask.spec());
  const Shape flat = x.shape().slice(0, axis) + Shape{-1} + x.shape().slice(end, x.rank());
  const Tensor places = nonzero(reshape(mask, {-1}));
  return gather(mask.rank() == 1 ? x : reshape(x, flat), squeeze(places, 1), {.axis = axis});
}

Specs Unique::infer(SpecRefs inputs) const {
  require(inputs[0].rank() == 1, "{}: takes a vector. Got {}. Reshape it to [-1].", kName, inputs);
  require(kIndexTypes.contains(out_idx), "{}: out_idx is int32 or int64. Got {}.", kName, out_idx);
  return {inputs[0].with(Shape{kUnknown}), inputs[0].with(out_idx), {out_idx, {kUnknown}}};
}

Tensors Unique::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::in_loop(*this, inputs, size);
}

Tensors Unique::run_on_host(TensorRefs inputs) const {
  return out_idx == int32 ? unique_of<int32_t>(inputs[0], int32)
                          : unique_of<int64_t>(inputs[0], int64);
}

UniqueResult unique(const Tensor& x, DType out_idx) {
  require(x.defined(), "unique: the input is not defined yet.");
  Unique op;
  op.out_idx = out_idx;
  const Tensors all = call_all(op, {&x, 1});
  return {all[0], all[1], all[2]};
}

}  // namespace alula
