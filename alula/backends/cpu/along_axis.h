#pragma once
#include "alula/backends/cpu/scratch.h"
#include "alula/core/shape.h"

namespace alula::cpu {

/// A shape as [outer, length, inner] around one axis, given counted from either end.
struct AlongAxis {
  int64_t outer = 1, length = 1, inner = 1;

  AlongAxis(const Shape& shape, int64_t axis) {
    const int64_t at = axis < 0 ? axis + shape.rank() : axis;
    for (int i = 0; i < shape.rank(); ++i) (i < at ? outer : i > at ? inner : length) *= shape[i];
  }
};

}  // namespace alula::cpu
