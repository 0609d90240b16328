#pragma once
#include "alula/image/adjust.h"
#include "alula/ops/data_movement.h"

/// Parts of images, and images with a border: [height, width, channels] or
/// [batch, height, width, channels], of numbers or bools. Height and width need not be known.
namespace alula::image {

/// The middle of an image: about this part of its height and of its width, 0 < fraction <= 1.
///   central_crop(image, 0.5)   [6,8,3]  ->  [4,4,3]
Tensor central_crop(const Tensor& image, double central_fraction);

/// Where a part of an image is, or where an image is within a larger one.
struct BoundingBox {
  int64_t offset_height = 0;
  int64_t offset_width = 0;
  int64_t target_height = 0;
  int64_t target_width = 0;
};

/// A part of an image, which must lie within it.
///   crop_to_bounding_box(image, {.target_height = 2, .target_width = 3})   image[:2, :3, :]
Tensor crop_to_bounding_box(const Tensor& image, const BoundingBox& box);

/// An image of the target's size whose rows from offset_height on and columns from offset_width on
/// are `image`, the others being zero.
///   pad_to_bounding_box(image, {1, 1, 30, 30})   28 rows and columns with a border of 1
Tensor pad_to_bounding_box(const Tensor& image, const BoundingBox& box);

/// The middle of an image, or the image with zeros on both sides, along each dimension.
///   resize_with_crop_or_pad(image, 28, 28)
Tensor resize_with_crop_or_pad(const Tensor& image, int64_t target_height, int64_t target_width);

/// A part of a tensor of any rank, at a random place; all places are equally likely. Each dimension
/// of `size` is at most the tensor's; -1 is all of it.
///   random_crop(image, {24, 24, 3}, {.seed = 1})
Tensor random_crop(const Tensor& value, const Ints& size, const RandomOptions& options = {});

}  // namespace alula::image
