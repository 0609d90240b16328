#pragma once
#include "alula/ops/strings_text.h"

namespace alula {

/// What `equal` and `not_equal` call for strings: whether texts are the same, byte by byte, with
/// broadcasting; bool.
///   Tensor{"a", "b"} == "b"  ->  {false, true}
struct StringEqual final : OpOf<StringEqual> {
  static constexpr const char* kName = "string_equal";
  static constexpr DTypeSet kDTypes = string;
  static constexpr bool kHost = true;
  static constexpr bool kDifferentiable = false;
  bool negate = false;  // whether they differ
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Tensors run_on_host(TensorRefs inputs) const override;
};

/// What `where` calls for strings. Inputs: the condition, and two of texts.
struct StringWhere final : OpOf<StringWhere> {
  static constexpr const char* kName = "string_where";
  static constexpr DTypeSet kDTypes = string;
  static constexpr bool kHost = true;
  static constexpr bool kDifferentiable = false;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Tensors run_on_host(TensorRefs inputs) const override;
};

namespace strings {

/// The function of that name on strings, if there is one: what elementwise functions ask that have
/// no program for them.
bool is_function(std::string_view name);
Tensor call_function(std::string_view name, const Tensor& a, const Tensor& b);
Tensor call_function(std::string_view name, const Tensor& a, const Tensor& b, const Tensor& c);

}  // namespace strings

Tensor operator==(const Tensor& a, std::string_view b);
Tensor operator!=(const Tensor& a, std::string_view b);

}  // namespace alula
