#pragma once
#include "alula/runtime/dispatch.h"

namespace alula {

/// x with elements of another dtype; x itself if it has that already. Numbers and bools.
///
/// A floating point number loses its fraction when it becomes an integer; one that is too large or
/// too small becomes the nearest that fits, and NaN becomes 0. (TensorFlow leaves both undefined.)
/// An integer that does not fit a smaller type keeps its low bits. What is not 0 becomes true.
///   cast({1.7f, -1.7f}, int32)  ->  {1, -1}
Tensor cast(const Tensor& x, DType dtype);

}  // namespace alula
