#pragma once
#include <fmt/format.h>

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

}  // namespace alula

template <>
struct fmt::formatter<alula::Spec> : fmt::formatter<std::string_view> {
  auto format(const alula::Spec& spec, fmt::format_context& context) const {
    return fmt::format_to(context.out(), "{}{}", alula::name_of(spec.dtype),
                          alula::to_string(spec.shape));
  }
};
