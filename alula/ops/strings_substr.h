#pragma once
#include "alula/ops/elementwise.h"
#include "alula/ops/strings_text.h"

namespace alula {

namespace strings {

/// What positions and lengths count: "BYTE", or "UTF8_CHAR" for the characters of UTF-8. (In bytes
/// that are no UTF-8, what is not the continuation of a character begins one.)
struct Unit {
  enum Kind : uint8_t { kByte, kUtf8Char };
  Kind kind = kByte;

  constexpr Unit() = default;
  constexpr Unit(Kind kind) : kind(kind) {}
  Unit(std::string_view word);
  Unit(const char* word) : Unit(std::string_view(word)) {}
  constexpr bool operator==(const Unit&) const = default;
};
std::string to_string(Unit unit);

struct UnitOptions {
  Unit unit = Unit::kByte;
};

/// How long texts are; int32.
///   length({"abc", "äö"})                         ->  {3, 4}
///   length({"abc", "äö"}, {.unit = "UTF8_CHAR"})  ->  {3, 2}
Tensor length(const Tensor& input, const UnitOptions& options = {});

/// From each text, `len` characters from `pos` on, fewer where it ends. A negative pos counts from
/// the end; a negative len takes all of the rest. `pos` and `len`, integers of the same shape,
/// broadcast with the input.
///   substr({"hello", "world"}, 1, 3)  ->  {"ell", "orl"}
///   substr({"hello"}, -2, -1)         ->  {"lo"}
/// A position outside of a text is an error. (With UTF8_CHAR and a negative len TensorFlow gives an
/// empty text.)
Tensor substr(const Tensor& input, const Argument& pos, const Argument& len,
              const UnitOptions& options = {});

}  // namespace strings

struct StringLength final : strings::TextOp<StringLength> {
  static constexpr const char* kName = "string_length";
  strings::Unit unit;
  Attributes attributes() const override;
  Tensors run_on_host(TensorRefs inputs) const override;

 protected:
  DType output_dtype() const override { return int32; }
};

/// Inputs: texts, positions, lengths.
struct Substr final : OpOf<Substr> {
  static constexpr const char* kName = "substr";
  static constexpr DTypeSet kDTypes = string;
  static constexpr bool kHost = true;
  static constexpr bool kDifferentiable = false;
  strings::Unit unit;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Tensors run_on_host(TensorRefs inputs) const override;
};

}  // namespace alula

template <>
struct fmt::formatter<alula::strings::Unit> : alula::TextFormatter<alula::strings::Unit> {};
