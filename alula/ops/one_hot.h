#pragma once
#include "alula/ops/data_movement.h"

namespace alula {

struct OneHotOptions {
  Number on_value = 1;
  Number off_value = 0;
  int64_t axis = -1;  // where the new dimension stands in the result
  DType dtype = float32;
};

/// A new dimension of size `depth`, with on_value at the position that the index says and off_value
/// elsewhere; off_value everywhere if there is no such position. Indices: uint8, int8, int32,
/// int64.
///   one_hot({0, 2, -1}, 3)  ->  {{1, 0, 0}, {0, 0, 1}, {0, 0, 0}}
Tensor one_hot(const Tensor& indices, int64_t depth, const OneHotOptions& options = {});

struct EyeOptions {
  int64_t num_columns = -1;  // as many as rows, unless set
  Shape batch_shape;         // leading dimensions
  DType dtype = float32;
};

/// The identity matrix, or a batch of them.
///   eye(2)  ->  {{1, 0}, {0, 1}}
Tensor eye(int64_t num_rows, const EyeOptions& options = {});

/// The op behind `one_hot`.
struct OneHot final : OpOf<OneHot>, OneHotOptions {
  static constexpr const char* kName = "one_hot";
  static constexpr DTypeSet kDTypes{uint8, int8, int32, int64};
  static constexpr bool kDifferentiable = false;

  int64_t depth;

  explicit OneHot(int64_t depth, const OneHotOptions& options = {})
      : OneHotOptions(options), depth(depth) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
};

}  // namespace alula
