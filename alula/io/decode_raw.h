#pragma once
#include "alula/runtime/dispatch.h"

namespace alula {

namespace io {

struct DecodeRawOptions {
  bool little_endian = true;
  int64_t fixed_length = 0;  // bytes: what is longer is cut, shorter filled with zeros; 0: as it is
};

/// The bytes of strings as numbers or bools, along a new last axis. Without a fixed length all
/// strings must be equally long.
///   decode_raw(Tensor{"abcd"}, int16)  ->  {{25185, 25699}}
Tensor decode_raw(const Tensor& input, DType out_type, const DecodeRawOptions& options = {});

}  // namespace io

struct DecodeRaw final : OpOf<DecodeRaw> {
  static constexpr const char* kName = "decode_raw";
  static constexpr DTypeSet kDTypes = string;
  static constexpr bool kHost = true;
  static constexpr bool kDifferentiable = false;
  DType out_type = uint8;
  io::DecodeRawOptions options;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Tensors run_on_host(TensorRefs inputs) const override;
};

}  // namespace alula
