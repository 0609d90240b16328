#pragma once
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

/// What the tests of string ops share. Expected values are TensorFlow's.
namespace alula::testing {

using Texts = std::vector<std::string>;

inline Tensor text(std::string_view text) { return Tensor(text); }

inline Texts texts(const Tensor& tensor) { return tensor.to_vector<std::string>(); }

/// Fails unless a tensor has this shape and these texts.
inline void expect_texts(const Tensor& actual, const Shape& shape, const Texts& expected) {
  EXPECT_EQ(actual.dtype(), string);
  EXPECT_EQ(to_string(actual.shape()), to_string(shape));
  EXPECT_EQ(texts(actual), expected);
}

}  // namespace alula::testing
