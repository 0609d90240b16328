#include "alula/image/resize.h"

#include "alula/image/check.h"

namespace alula::image {

Tensor resize(const Tensor& images, Size2 size, const ResizeOptions& options) {
  internal::check_image("resize", images);
  return alula::resize(images, size, options);
}

}  // namespace alula::image
