#include "alula/ops/strings_case.h"

#include <algorithm>

namespace alula {
namespace {

const RegisterOp<StringLower> registered_lower;
const RegisterOp<StringUpper> registered_upper;
const RegisterOp<StringStrip> registered_strip;

template <class F>
Tensor with_each_byte(const Tensor& input, const F& f) {
  return strings::map_texts<std::string>(input, [&](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), f);
    return text;
  });
}

char lower_of(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
char upper_of(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c; }

}  // namespace

Tensors StringLower::run_on_host(TensorRefs inputs) const {
  return {with_each_byte(inputs[0], lower_of)};
}

Tensors StringUpper::run_on_host(TensorRefs inputs) const {
  return {with_each_byte(inputs[0], upper_of)};
}

Tensors StringStrip::run_on_host(TensorRefs inputs) const {
  return {strings::map_texts<std::string>(
      inputs[0], [](const std::string& text) { return std::string(strings::stripped(text)); })};
}

Tensor strings::lower(const Tensor& input) { return call(StringLower(), input); }
Tensor strings::upper(const Tensor& input) { return call(StringUpper(), input); }
Tensor strings::strip(const Tensor& input) { return call(StringStrip(), input); }

}  // namespace alula
