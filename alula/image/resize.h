#pragma once
#include "alula/ops/resize.h"

namespace alula::image {

/// Images of another size: [height, width, channels] or [batch, height, width, channels], of
/// numbers. The result is float32, not converted to values between 0 and 1, unless the method is
/// "nearest", which keeps the dtype. Height and width need not be known.
///   resize(image, {32, 48})
///   resize(images, {224, 224}, {.method = "bicubic", .antialias = true})
Tensor resize(const Tensor& images, Size2 size, const ResizeOptions& options = {});

}  // namespace alula::image
