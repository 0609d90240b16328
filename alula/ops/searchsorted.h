#pragma once
#include "alula/runtime/dispatch.h"

namespace alula {

struct SearchSortedOptions {
  bool right = false;  // behind equal elements rather than before them
  DType out_type = int32;
};

/// Where each value would have to be inserted into its row of ascending elements to keep the order.
/// sorted: [..., n], values: [..., m], result: [..., m] in [0, n]. Numbers.
///   searchsorted({1, 3, 5}, {0, 3, 9})                    ->  {0, 1, 3}
///   searchsorted({1, 3, 5}, {0, 3, 9}, {.right = true})   ->  {0, 2, 3}
Tensor searchsorted(const Tensor& sorted, const Tensor& values,
                    const SearchSortedOptions& options = {});

/// The op behind `searchsorted`.
struct SearchSorted final : OpOf<SearchSorted>, SearchSortedOptions {
  static constexpr const char* kName = "searchsorted";
  static constexpr DTypeSet kDTypes = kNumeric;
  static constexpr bool kDifferentiable = false;

  explicit SearchSorted(const SearchSortedOptions& options) : SearchSortedOptions(options) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
};

}  // namespace alula
