#pragma once
#include <string>
#include <string_view>

#include "alula/ops/batching.h"

/// What the string ops share. They are host ops; text is bytes unless an op says otherwise.
namespace alula::strings {

/// The bytes that C calls white space, whatever the locale.
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
std::string_view stripped(std::string_view text);

/// A text as it would stand in a program: "a\"b\n". What attributes show, so that no two are alike.
std::string quoted(std::string_view text);
/// The same for a message about a text: a long one is cut.
std::string shown(std::string_view text);

/// What is wrong with an input that is no string.
void require_strings(const char* who, SpecRefs inputs);

/// A tensor of f(text) for each text, with elements of type T.
template <class T, class F>
Tensor map_texts(const Tensor& input, const F& f) {
  Tensor output = Tensor::uninitialized({dtype_of<T>, input.shape()});
  T* to = static_cast<T*>(output.mutable_data());
  for (const std::string& text : input.span<std::string>()) *to++ = f(text);
  return output;
}

/// Where the elements of an input that is broadcast to a shape are: an index for each of the
/// result's.
std::vector<int64_t> broadcast_indices(const Shape& input, const Shape& output);

/// An op of texts, one by one: the same shape comes out.
template <class Derived>
struct TextOp : OpOf<Derived> {
  static constexpr DTypeSet kDTypes = string;
  static constexpr bool kHost = true;
  static constexpr bool kDifferentiable = false;
  Specs infer(SpecRefs inputs) const override {
    require_strings(this->name(), inputs);
    return {inputs[0].with(output_dtype())};
  }
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override {
    return batching::with_leading(*this, inputs, size);
  }

 protected:
  virtual DType output_dtype() const { return string; }
};

}  // namespace alula::strings
