#pragma once
#include "alula/core/dtype.h"
#include "alula/core/inline_vector.h"
#include "alula/core/shape.h"

namespace alula {

/// What is known of a tensor without its values: "float32[8,32,32,3]".
struct Spec {
  DType dtype = float32;
  Shape shape;

  int rank() const { return shape.rank(); }
  Spec with(Shape other) const { return {dtype, other}; }
  Spec with(DType other) const { return {other, shape}; }
  /// The bytes of the elements; the shape must be known.
  int64_t bytes() const { return shape.size() * static_cast<int64_t>(size_of(dtype)); }
  bool operator==(const Spec&) const = default;
};

using Specs = InlineVector<Spec, 2>;

std::string to_string(const Spec& spec);

}  // namespace alula

template <>
struct fmt::formatter<alula::Spec> : alula::TextFormatter<alula::Spec> {};
