#pragma once
#include "alula/image/adjust.h"

/// Images mirrored and turned: [height, width, channels] or [batch, height, width, channels], of
/// any dtype (of numbers or bools where chance decides).
namespace alula::image {

/// Mirrored: the columns in reverse order.
///   flip_left_right(image)   image[:, ::-1, :]
Tensor flip_left_right(const Tensor& image);

/// The rows in reverse order.
Tensor flip_up_down(const Tensor& image);

/// Mirrored or not, with equal chance: each image of a batch for itself.
Tensor random_flip_left_right(const Tensor& image, const RandomOptions& options = {});
Tensor random_flip_up_down(const Tensor& image, const RandomOptions& options = {});

/// Rows become columns.
Tensor transpose(const Tensor& image);

/// Turned counter-clockwise by k right angles; clockwise if k is negative.
///   rot90(image)      [2,3,1] {{a, b, c}, {d, e, f}}  ->  [3,2,1] {{c, f}, {b, e}, {a, d}}
Tensor rot90(const Tensor& image, int64_t k = 1);

}  // namespace alula::image
