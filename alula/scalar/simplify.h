#pragma once
#include <optional>

#include "alula/scalar/scalar.h"

namespace alula::scalar {

/// A value that an instruction over floating point numbers can be replaced by, if there is a
/// simpler one: x for x * 1, 0 for x * 0 (also where x is infinite), y - x for y + -x. What
/// differentiating leaves behind is full of these.
std::optional<Scalar> simplify(Builder& builder, Opcode opcode, DType dtype,
                               std::span<const Scalar> operands);

}  // namespace alula::scalar
