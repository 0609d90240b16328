#pragma once
#include "alula/core/tensor.h"

/// Images are [height, width, channels] or [batch, height, width, channels].
namespace alula::image {

/// Each image with mean 0 and variance 1, as float32. Of an image of one colour, or nearly so, the
/// deviation counts as 1 / sqrt(elements), so that it becomes zeros. Numbers.
///   per_image_standardization(image)
Tensor per_image_standardization(const Tensor& image);

/// How much neighbouring pixels differ: the sum of the distances between all that touch, a number
/// for each image. Numbers.
///   total_variation(images)   [8,32,32,3]  ->  [8]
Tensor total_variation(const Tensor& images);

/// The peak signal-to-noise ratio of two batches of images, in decibels: a number for each pair.
/// `max_val`: the distance from the least to the largest value that they can have.
///   psnr(a, b, 255)   uint8[8,32,32,3]  ->  float32[8]
Tensor psnr(const Tensor& a, const Tensor& b, double max_val);

}  // namespace alula::image
