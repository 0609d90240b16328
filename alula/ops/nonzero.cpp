#include "alula/ops/nonzero.h"

#include <algorithm>
#include <unordered_map>

#include "alula/ops/add.h"
#include "alula/ops/attributes.h"
#include "alula/ops/cast.h"
#include "alula/ops/concat.h"
#include "alula/ops/cumsum.h"
#include "alula/ops/fill.h"
#include "alula/ops/floordiv.h"
#include "alula/ops/gather.h"
#include "alula/ops/mod.h"
#include "alula/ops/not_equal.h"
#include "alula/ops/operators.h"
#include "alula/ops/range.h"
#include "alula/ops/reshape.h"
#include "alula/ops/searchsorted.h"
#include "alula/ops/slice.h"
#include "alula/ops/sort.h"
#include "alula/runtime/by_ops.h"

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

// ---- on a device -----------------------------------------------------------------------------

/// Below this, host code is done before so many kernels are launched.
constexpr int64_t kWorthKernels = 4096;

/// One element of a vector on a device, which is waited for.
int64_t read_at(const Tensor& x, int64_t i) {
  return cast(slice_along(x, 0, i, 1), int64).to_vector<int64_t>()[0];
}

/// Where the elements of a vector of bools are that are true.
Tensor places_of(const Tensor& holds) {
  const int64_t size = holds.size();
  const DType dtype = size < int64_t{1} << 31 ? int32 : int64;
  const Tensor counted = cumsum(cast(holds, dtype));
  const int64_t found = read_at(counted, size - 1);
  return searchsorted(counted, range(1, found + 1, 1, dtype), {.out_type = dtype});
}

std::optional<Tensors> nonzero_by_ops(const Op&, TensorRefs inputs) {
  const Tensor& x = inputs[0];
  const Shape& shape = x.shape();
  if (x.size() < kWorthKernels) return {};
  const Tensor flat = reshape(x, {-1});
  const Tensor places =
      cast(places_of(x.dtype() == boolean ? flat : not_equal(flat, zeros({}, x.dtype()))), int64);
  std::vector<Tensor> coordinates;
  int64_t step = x.size();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    step /= shape[axis];
    coordinates.push_back(mod(floordiv(places, step), shape[axis]));
  }
  return Tensors{stack(coordinates, 1)};
}

/// By sorting: equal values then stand side by side, the first of them first.
std::optional<Tensors> unique_by_ops(const Op& op, TensorRefs inputs) {
  const DType out_idx = static_cast<const Unique&>(op).out_idx;
  const Tensor& x = inputs[0];
  const int64_t size = x.size();
  if (size < kWorthKernels || size >= int64_t{1} << 31) return {};
  Tensor values = x.dtype() == boolean ? cast(x, uint8) : x;
  if (is_floating(x.dtype())) values = values + zeros({}, x.dtype());  // -0 is 0
  const Tensor order = argsort(values), sorted = gather(values, order);
  const Tensor differs =
      not_equal(slice_along(sorted, 0, 1, size - 1), slice_along(sorted, 0, 0, size - 1));
  const Tensor starts = concat({fill({1}, true), differs}, 0);
  const Tensor group = cumsum(cast(starts, int32)) - 1;  // of each sorted element
  const Tensor begins = places_of(starts);               // of each group
  const Tensor ends = concat(
      {slice_along(begins, 0, 1, begins.size() - 1), fill({1}, static_cast<int32_t>(size))}, 0);
  // The groups by the places of their first elements.
  const Tensor firsts = gather(order, begins), by_first = argsort(firsts);
  const Tensor numbers = argsort(by_first);
  const Tensor idx = gather(gather(numbers, group), argsort(order));
  return Tensors{gather(x, gather(firsts, by_first)), cast(idx, out_idx),
                 cast(gather(ends - begins, by_first), out_idx)};
}

const RegisterByOps<NonZero> nonzero_registered_by_ops{&nonzero_by_ops};
const RegisterByOps<Unique> unique_registered_by_ops{&unique_by_ops};

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
  const Tensor& x = inputs[0];
  const Shape& shape = x.shape();
  const int rank = shape.rank();
  Tensors result;
  with_type(x.dtype(), [&]<class T>(Type<T>) {
    const std::span<const T> values = x.span<T>();
    const auto holds = [](const T& value) { return key_of(value) != 0; };
    const int64_t found = std::count_if(values.begin(), values.end(), holds);
    result.push_back(Tensor::uninitialized({int64, {found, rank}}));
    auto* to = static_cast<int64_t*>(result[0].mutable_data());
    for (size_t i = 0; i < values.size(); ++i) {
      if (!holds(values[i])) continue;
      auto rest = static_cast<int64_t>(i);
      for (int axis = rank - 1; axis > 0; --axis) {
        to[axis] = rest % shape[axis];
        rest /= shape[axis];
      }
      if (rank > 0) to[0] = rest;
      to += rank;
    }
  });
  return result;
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
