#include "alula/ops/strings_regex.h"

#include <list>
#include <memory>
#include <mutex>

#include <re2/re2.h>

#include "alula/ops/attributes.h"

namespace alula {
namespace {

const RegisterOp<RegexReplace> registered_replace;
const RegisterOp<RegexFullMatch> registered_full_match;

/// A compiled pattern. The latest ones are kept: a pipeline uses the same for every element.
std::shared_ptr<const RE2> compiled(const char* who, const std::string& pattern) {
  constexpr size_t kKept = 32;
  static std::mutex mutex;
  static std::list<std::shared_ptr<const RE2>> kept;
  {
    const std::lock_guard lock(mutex);
    for (auto item = kept.begin(); item != kept.end(); ++item)
      if ((*item)->pattern() == pattern) {
        kept.splice(kept.begin(), kept, item);
        return kept.front();
      }
  }
  const auto made = std::make_shared<const RE2>(pattern, RE2::Quiet);
  require(made->ok(), "{}: the pattern {} is not valid: {}.", who, strings::shown(pattern),
          made->error());
  const std::lock_guard lock(mutex);
  kept.push_front(made);
  if (kept.size() > kKept) kept.pop_back();
  return made;
}

}  // namespace

Attributes RegexReplace::attributes() const {
  Attributes attributes{{"pattern", strings::quoted(pattern)},
                        {"rewrite", strings::quoted(rewrite)}};
  add_unless(true, attributes, "replace_global", replace_global);
  return attributes;
}

Tensors RegexReplace::run_on_host(TensorRefs inputs) const {
  const auto regex = compiled(name(), pattern);
  return {strings::map_texts<std::string>(inputs[0], [&](std::string text) {
    if (replace_global)
      RE2::GlobalReplace(&text, *regex, rewrite);
    else
      RE2::Replace(&text, *regex, rewrite);
    return text;
  })};
}

Tensor strings::regex_replace(const Tensor& input, std::string_view pattern,
                              std::string_view rewrite, const RegexReplaceOptions& options) {
  RegexReplace op;
  op.pattern = pattern;
  op.rewrite = rewrite;
  op.replace_global = options.replace_global;
  std::string error;
  require(compiled(op.kName, op.pattern)->CheckRewriteString(op.rewrite, &error),
          "{}: the rewrite {} is not valid: {}", op.kName, shown(op.rewrite), error);
  return call(op, input);
}

Attributes RegexFullMatch::attributes() const { return {{"pattern", strings::quoted(pattern)}}; }

Tensors RegexFullMatch::run_on_host(TensorRefs inputs) const {
  const auto regex = compiled(name(), pattern);
  return {strings::map_texts<bool>(
      inputs[0], [&](const std::string& text) { return RE2::FullMatch(text, *regex); })};
}

Tensor strings::regex_full_match(const Tensor& input, std::string_view pattern) {
  RegexFullMatch op;
  op.pattern = pattern;
  compiled(op.kName, op.pattern);  // a mistake in it is an error here, not only in a run
  return call(op, input);
}

}  // namespace alula
