#include "alula/ops/nonzero.h"

#include <unordered_map>

#include "alula/ops/attributes.h"
#include "alula/ops/gather.h"
#include "alula/ops/reshape.h"

namespace alula {
namespace {

const RegisterOp<NonZero> registered_nonzero;
const RegisterOp<Unique> registered_unique;

/// What a value is looked up by.
template <class T>
auto key_of(const T& value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
    return static_cast<float>(value);
  else
    return value;
}

/// The different values in the order of their first places. They are numbered in idx, and counted.
template <class T, class Index>
Tensors unique_of(const Tensor& x, DType out_idx) {
  const std::span<const T> values = x.span<T>();
  Tensor idx = Tensor::uninitialized({out_idx, x.shape()});
  auto* number_at = static_cast<Index*>(idx.mutable_data());
  std::unordered_map<decltype(key_of(values[0])), size_t> numbers;
  std::vector<size_t> firsts;
  std::vector<Index> counts;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto key = key_of(values[i]);
    // A NaN is different from all, also from other NaNs, as in TensorFlow.
    size_t number = firsts.size();
    if (key == key) number = numbers.try_emplace(key, number).first->second;
    if (number == firsts.size()) {
      firsts.push_back(i);
      counts.push_back(0);
    }
    ++counts[number];
    number_at[i] = static_cast<Index>(number);
  }
  const Shape found{static_cast<int64_t>(firsts.size())};
  Tensor y = Tensor::uninitialized({x.dtype(), found});
  auto* to = static_cast<T*>(y.mutable_data());
  for (size_t first : firsts) *to++ = values[first];
  return {y, idx, Tensor(counts, found)};
}

template <class Index>
Tensors unique_of(const Tensor& x, DType out_idx) {
  if (x.dtype() == string) return unique_of<std::string, Index>(x, out_idx);
  Tensors result;
  with_type(x.dtype(), [&]<class T>(Type<T>) { result = unique_of<T, Index>(x, out_idx); });
  return result;
}

/// Whether each element is not 0.
std::vector<bool> truths(const Tensor& x) {
  std::vector<bool> result;
  result.reserve(static_cast<size_t>(x.size()));
  with_type(x.dtype(), [&]<class T>(Type<T>) {
    for (const T& value : x.span<T>()) result.push_back(key_of(value) != 0);
  });
  return result;
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
  const std::vector<bool> holds = truths(inputs[0]);
  const Shape& shape = inputs[0].shape();
  std::vector<int64_t> coordinates;
  int64_t found = 0;
  for (size_t i = 0; i < holds.size(); ++i) {
    if (!holds[i]) continue;
    ++found;
    const size_t row = coordinates.size();
    coordinates.resize(row + static_cast<size_t>(shape.rank()));
    auto rest = static_cast<int64_t>(i);
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
