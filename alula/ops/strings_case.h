#pragma once
#include "alula/ops/strings_text.h"

namespace alula {

namespace strings {

/// With the letters A to Z as a to z, and the other way round. All else stays as it is, letters
/// beyond ASCII too: what TensorFlow does without an encoding.
///   lower({"Hello", "É"})  ->  {"hello", "É"}
Tensor lower(const Tensor& input);
Tensor upper(const Tensor& input);

/// Without the white space before and behind.
///   strip({" a b\n"})  ->  {"a b"}
Tensor strip(const Tensor& input);

}  // namespace strings

struct StringLower final : strings::TextOp<StringLower> {
  static constexpr const char* kName = "string_lower";
  Tensors run_on_host(TensorRefs inputs) const override;
};

struct StringUpper final : strings::TextOp<StringUpper> {
  static constexpr const char* kName = "string_upper";
  Tensors run_on_host(TensorRefs inputs) const override;
};

struct StringStrip final : strings::TextOp<StringStrip> {
  static constexpr const char* kName = "string_strip";
  Tensors run_on_host(TensorRefs inputs) const override;
};

}  // namespace alula
