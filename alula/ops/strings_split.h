#pragma once
#include "alula/ops/strings_text.h"

namespace alula {

namespace strings {

struct SplitOptions {
  int64_t maxsplit = -1;  // where to split at most; what is left is the last piece
};

/// The pieces between the places where `sep` stands; without one, between white space, of which as
/// much as there is counts once and none at the ends.
///   split(Tensor("a b  c"))          ->  {"a", "b", "c"}
///   split(Tensor("a,,b"), ",")       ->  {"a", "", "b"}
///   split({"a b c", "d"})            ->  {{"a", "b", "c"}, {"d", "", ""}}
/// The pieces of a tensor of texts are along a new last axis; where some have fewer, empty strings
/// fill it: what TensorFlow's ragged tensor becomes by to_tensor().
Tensor split(const Tensor& input, std::string_view sep = "", const SplitOptions& options = {});

/// The texts of all inputs one behind the other, with `separator` between them. Scalars go with
/// every element.
///   join({Tensor{"a", "b"}, Tensor("x")}, "-")  ->  {"a-x", "b-x"}
Tensor join(const std::vector<Tensor>& inputs, std::string_view separator = "");

}  // namespace strings

struct StringSplit final : OpOf<StringSplit> {
  static constexpr const char* kName = "string_split";
  static constexpr DTypeSet kDTypes = string;
  static constexpr bool kHost = true;
  static constexpr bool kDifferentiable = false;
  std::string sep;
  int64_t maxsplit = -1;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Tensors run_on_host(TensorRefs inputs) const override;
};

struct StringJoin final : OpOf<StringJoin> {
  static constexpr const char* kName = "string_join";
  static constexpr DTypeSet kDTypes = string;
  static constexpr bool kHost = true;
  static constexpr bool kDifferentiable = false;
  std::string separator;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Tensors run_on_host(TensorRefs inputs) const override;
};

}  // namespace alula
