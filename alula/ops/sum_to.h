#pragma once
#include "alula/core/tensor.h"

namespace alula {

/// Undoes broadcasting: the sum over the dimensions along which a tensor of `shape` was repeated to
/// become like x. x itself if the shapes agree.
///   sum_to({{1, 2}, {3, 4}}, {1, 2})  ->  {{4, 6}}
Tensor sum_to(const Tensor& x, const Shape& shape);

}  // namespace alula
