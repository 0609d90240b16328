#pragma once
#include "alula/core/tensor.h"

namespace alula::image {

struct ConvertImageDTypeOptions {
  /// Whether values that the new dtype cannot hold become the nearest that it can, as far as the
  /// old dtype can express that. Without it, integers keep their low bits.
  bool saturate = false;
};

/// An image with elements of another dtype. A floating image has values between 0 and 1, one of
/// integers between 0 and the dtype's largest; values are scaled accordingly. Numbers.
///   convert_image_dtype(constant({0, 51, 255}, uint8), float32)  ->  {0, 0.2, 1}
///   convert_image_dtype({0.f, 0.2f, 1.f}, uint8)                 ->  {0, 51, 255}
Tensor convert_image_dtype(const Tensor& image, DType dtype,
                           const ConvertImageDTypeOptions& options = {});

}  // namespace alula::image
