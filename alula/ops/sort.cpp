#include "alula/ops/sort.h"

#include <cmath>
#include <limits>

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

template struct SortOp<Sort>;
template struct SortOp<ArgSort>;

}  // namespace alula
