#pragma once
#include "alula/ops/resize.h"
#include "alula/runtime/op.h"

namespace alula::cpu {

/// One call: images of [count, height, width, channels] become others of the taps' sizes.
/// They are float32, or float64 if the images are.
struct Resampling {
  DType dtype, result_dtype;
  int64_t count, height, width, channels;
  const ResizeTaps &y, &x;
  const void* images;
  void* result;

  int64_t out_height() const { return static_cast<int64_t>(y.first.size()); }
  int64_t out_width() const { return static_cast<int64_t>(x.first.size()); }
};

void resample(const Resampling& r);

}  // namespace alula::cpu
