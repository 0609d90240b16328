#include "alula/ops/searchsorted.h"

#include <cmath>

#include "alula/ops/batching.h"

namespace alula {
namespace {

const RegisterOp<SearchSorted> registered;

}  // namespace

Tensor searchsorted(const Tensor& sorted, const Tensor& values,
                    const SearchSortedOptions& options) {
  return call(SearchSorted(options), sorted, values);
}

Specs SearchSorted::infer(SpecRefs inputs) const {
  const Spec &sorted = inputs[0], &values = inputs[1];
  require(kDTypes.contains(sorted.dtype), "{}: takes {}. Got {}.", kName, kDTypes, inputs);
  require(sorted.dtype == values.dtype, "{}: the dtypes differ. Got {}. Use cast().", kName,
          inputs);
  require(out_type == int32 || out_type == int64, "{}: out_type must be int32 or int64. Got {}.",
          kName, out_type);
  require(sorted.rank() >= 1 && sorted.rank() == values.rank() &&
              compatible(sorted.shape.with(sorted.rank() - 1, kUnknown), values.shape),
          "{}: all dimensions but the last must be equal. Got {}.", kName, inputs);
  return {values.with(out_type)};
}

Cost SearchSorted::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  cost.flops *= std::log2(static_cast<double>(inputs[0].shape.back()) + 1) + 1;
  return cost;
}

Tensors SearchSorted::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::with_leading(*this, inputs, size);
}

Attributes SearchSorted::attributes() const {
  return {{"side", right ? "right" : "left"}, {"out_type", out_type}};
}

}  // namespace alula
