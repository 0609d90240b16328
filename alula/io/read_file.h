#pragma once
#include "alula/runtime/dispatch.h"

namespace alula::io {

/// The contents of files, as an op: a string for each path, of any shape. It reads whenever it
/// runs, also within a function or the map of a data set.
///   io::read_file(path_tensor)   string[] "bird.png"  ->  string[]
Tensor read_file(const Tensor& filename);

/// The op behind `read_file`.
struct ReadFile final : OpOf<ReadFile> {
  static constexpr const char* kName = "read_file";
  static constexpr DTypeSet kDTypes = string;
  static constexpr bool kHost = true;
  static constexpr bool kEffects = true;  // what a file holds may change from run to run
  static constexpr bool kDifferentiable = false;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Tensors run_on_host(TensorRefs inputs) const override;
};

}  // namespace alula::io
