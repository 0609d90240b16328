#pragma once
#include "alula/ops/data_movement.h"
#include "alula/testing/harness.h"

/// What the tests of ops that move elements share.
namespace alula::testing {

inline const std::vector<DType>& every_dtype() {
  static const std::vector<DType> dtypes = [] {
    std::vector<DType> all;
    for (int i = 0; i < kDTypeCount; ++i) all.push_back(static_cast<DType>(i));
    return all;
  }();
  return dtypes;
}

/// A tensor whose elements mostly differ.
inline Tensor varied(DType dtype, const Shape& shape) {
  return random_tensor({dtype, shape}, {.from = -100, .to = 100});
}

/// The array of a shape whose element at an index is `from`'s at `source(index)`.
inline Array moved(const Array& from, const Shape& shape,
                   const std::function<Shape(const Shape&)>& source) {
  Array result(shape);
  for_each_index(shape, [&](const Shape& index) { result[index] = from[source(index)]; });
  return result;
}

/// What an op infers from specs whose dimensions may be unknown.
inline Specs infer(const Op& op, const std::vector<Spec>& inputs) {
  std::vector<const Spec*> refs;
  for (const Spec& input : inputs) refs.push_back(&input);
  return op.infer(SpecRefs(std::span<const Spec* const>(refs)));
}

/// The shape of an op's only output: "[2,?]".
inline std::string inferred(const Op& op, const std::vector<Spec>& inputs) {
  return to_string(infer(op, inputs)[0].shape);
}

}  // namespace alula::testing
