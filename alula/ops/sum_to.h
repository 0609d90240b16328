#pragma once
#include "alula/core/tensor.h"

namespace alula {

/// Undoes broadcasting: the sum over the dimensions that `shape` lacks or has with size 1; x itself
/// if the shapes agree. What the gradient of an input that was broadcast is made with.
///   sum_to({{1, 2}, {3, 4}}, {2})     ->  {4, 6}
///   sum_to({{1, 2}, {3, 4}}, {2, 1})  ->  {{3}, {7}}
Tensor sum_to(const Tensor& x, const Shape& shape);

}  // namespace alula
