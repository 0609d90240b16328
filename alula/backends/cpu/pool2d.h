#pragma once
#include "alula/core/dtype.h"
#include "alula/ops/window.h"

namespace alula::cpu {

enum class Pool : uint8_t { kMax, kAverage };

/// Pooling with all sizes known.
struct PoolShape {
  int64_t batch;
  Windows windows;
  int64_t channels;
};

/// input: the images; output: a value for each window.
void pool2d(Pool pool, DType dtype, const PoolShape& shape, const void* input, void* output);

/// Shares each window's gradient among the elements that made its value: for kMax the first that
/// equals it, for kAverage all of them. Averages need no input and no output.
void pool2d_gradient(Pool pool, DType dtype, const PoolShape& shape, const void* input,
                     const void* output, const void* gradient, void* result);

/// The element of `values`, laid out like the input, at each window's first largest value.
void pool2d_pick(DType dtype, const PoolShape& shape, const void* input, const void* output,
                 const void* values, void* result);

}  // namespace alula::cpu
