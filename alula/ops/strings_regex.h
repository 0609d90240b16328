#pragma once
#include "alula/ops/strings_text.h"

namespace alula {

namespace strings {

struct RegexReplaceOptions {
  bool replace_global = true;  // every match, rather than the first
};

/// What matches the pattern, replaced. In `rewrite`, \1 is what the first parentheses matched, and
/// \0 all of it. Patterns are RE2's (https://github.com/google/re2/wiki/Syntax), as TensorFlow's.
///   regex_replace({"hello"}, "(l+)(o)", "\\2\\1")  ->  {"heoll"}
Tensor regex_replace(const Tensor& input, std::string_view pattern, std::string_view rewrite,
                     const RegexReplaceOptions& options = {});

/// Whether the pattern matches all of a text.
///   regex_full_match({"abc", "abcd"}, "a.c")  ->  {true, false}
Tensor regex_full_match(const Tensor& input, std::string_view pattern);

}  // namespace strings

struct RegexReplace final : strings::TextOp<RegexReplace> {
  static constexpr const char* kName = "regex_replace";
  std::string pattern, rewrite;
  bool replace_global = true;
  Attributes attributes() const override;
  Tensors run_on_host(TensorRefs inputs) const override;
};

struct RegexFullMatch final : strings::TextOp<RegexFullMatch> {
  static constexpr const char* kName = "regex_full_match";
  std::string pattern;
  Attributes attributes() const override;
  Tensors run_on_host(TensorRefs inputs) const override;

 protected:
  DType output_dtype() const override { return boolean; }
};

}  // namespace alula
