#pragma once
#include "alula/ops/strings_text.h"

namespace alula {

namespace strings {

/// The numbers that texts show, which may have white space around them: float32, float64, int32 or
/// int64. A float too large is infinite; an integer must fit. A text that shows no number is an
/// error.
///   to_number({"1.5", " -2 ", "1e3", "inf"})  ->  {1.5, -2, 1000, inf}
Tensor to_number(const Tensor& input, DType out_type = float32);

/// Reads one number as to_number does; false if the text shows none of that type.
template <class T>
bool parse_number(std::string_view text, T& number);

struct AsStringOptions {
  int precision = -1;       // digits behind the point of a float; 6 if negative
  bool scientific = false;  // 1.5e+00
  bool shortest = false;    // whichever of both is shorter
  int width = -1;           // at least so many characters
  std::string fill = "";    // as printf's flag: "0" zeros, "-" to the left, "+" a sign, " " a space
};

/// Numbers, and true and false, as text.
///   as_string({1, 20})                      ->  {"1", "20"}
///   as_string({3.14159}, {.precision = 2})  ->  {"3.14"}
Tensor as_string(const Tensor& input, const AsStringOptions& options = {});

}  // namespace strings

struct StringToNumber final : strings::TextOp<StringToNumber> {
  static constexpr const char* kName = "string_to_number";
  DType out_type = float32;
  Attributes attributes() const override { return {{"out_type", out_type}}; }
  Tensors run_on_host(TensorRefs inputs) const override;

 protected:
  DType output_dtype() const override { return out_type; }
};

struct AsString final : OpOf<AsString> {
  static constexpr const char* kName = "as_string";
  static constexpr DTypeSet kDTypes = kAnyType;
  static constexpr bool kHost = true;
  static constexpr bool kDifferentiable = false;
  strings::AsStringOptions options;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Tensors run_on_host(TensorRefs inputs) const override;
};

}  // namespace alula
