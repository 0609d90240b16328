#include "alula/ops/sort.h"

#include <cmath>
#include <limits>
#include <vector>

#include "alula/ops/batching.h"
#include "alula/ops/top_k.h"
#include "alula/ops/transpose.h"

namespace alula {
namespace {

const RegisterOp<Sort> sort_registered;
const RegisterOp<ArgSort> argsort_registered;

}  // namespace

Tensor sort(const Tensor& values, const SortOptions& options) {
  return call(Sort(options), values);
}
Tensor argsort(const Tensor& values, const SortOptions& options) {
  return call(ArgSort(options), values);
}

template <class Derived>
Specs SortOp<Derived>::infer(SpecRefs inputs) const {
  const Spec& values = inputs[0];
  require(kDTypes.contains(values.dtype), "{}: takes {}. Got {}.", Derived::kName, kDTypes, values);
  const int at = normalize_axis(Derived::kName, axis, values.rank());
  if constexpr (std::is_same_v<Derived, Sort>) return {values};
  require(values.shape[at] <= std::numeric_limits<int32_t>::max(),
          "{}: axis {} is too long for indices of int32. Got {}.", Derived::kName, at, values);
  return {values.with(int32)};
}

template <class Derived>
Cost SortOp<Derived>::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  const Shape& shape = inputs[0].shape;
  const int64_t length = shape[normalize_axis(Derived::kName, axis, shape.rank())];
  cost.flops *= std::log2(static_cast<double>(length) + 1);
  return cost;
}

/// Each element's gradient is that of the place that it was sorted to.
Gradients Sort::gradient(const Recorded& call) const {
  const Tensor& x = call.input();
  const int last = x.rank() - 1, at = normalize_axis(kName, axis, x.rank());
  if (at == last) return {scatter_in_rows(argsort(x, *this), call.dy(), x.shape().back())};
  std::vector<int64_t> swapped;
  for (int i = 0; i <= last; ++i) swapped.push_back(i == at ? last : i == last ? at : i);
  const Tensor order = argsort(transpose(x, swapped), {.axis = -1, .direction = direction});
  return {transpose(scatter_in_rows(order, transpose(call.dy(), swapped), x.shape()[at]), swapped)};
}

template <class Derived>
Tensors SortOp<Derived>::batched(std::span<const BatchedInput> inputs, int64_t) const {
  return batching::with_axis_behind(static_cast<const Derived&>(*this), inputs[0]);
}

template struct SortOp<Sort>;
template struct SortOp<ArgSort>;

Attributes attributes_of(const SortOptions& options) {
  Attributes attributes = {{"axis", options.axis}};
  if (options.direction == SortDirection::kDescending)
    attributes.emplace_back("direction", "DESCENDING");
  return attributes;
}

}  // namespace alula
