#pragma once
#include "alula/io/jpeg.h"
#include "alula/io/png.h"
#include "alula/runtime/dispatch.h"

/// Pictures' files as ops: host code in any function, and in the map of a data set. The functions
/// of alula/io do the same with bytes that are there.
namespace alula::image {

/// The pixels of a PNG file, whose bytes are a string scalar: [height, width, channels], uint8 or
/// uint16.
///   decode_png(io::read_file(path), {.channels = 3})
Tensor decode_png(const Tensor& contents, const io::DecodePngOptions& options = {});

/// The pixels of a JPEG file: uint8 [height, width, channels].
Tensor decode_jpeg(const Tensor& contents, const io::DecodeJpegOptions& options = {});

struct DecodeImageOptions {
  int64_t channels = 0;  // 0: those of the file, or 1, 3 or 4
  DType dtype = uint8;   // or uint16, or a floating type: then values are between 0 and 1
};

/// The pixels of a PNG or JPEG file, whichever it is. (TensorFlow also reads GIF and BMP files.)
Tensor decode_image(const Tensor& contents, const DecodeImageOptions& options = {});

/// PNG files of images [..., height, width, channels], uint8 or uint16, of 1 to 4 channels: a
/// string for each.
Tensor encode_png(const Tensor& image, const io::EncodePngOptions& options = {});

/// JPEG files of images [..., height, width, channels], uint8, of 1 or 3 channels: a string for
/// each.
Tensor encode_jpeg(const Tensor& image, const io::EncodeJpegOptions& options = {});

}  // namespace alula::image
