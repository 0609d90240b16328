#pragma once
#include <string>
#include <string_view>

#include "alula/core/tensor.h"

namespace alula::io {

/// How a JPEG file's cosine transform is inverted: "" or "INTEGER_FAST", or "INTEGER_ACCURATE". As
/// in TensorFlow, the fast one is the default; its values are a few units off.
class DctMethod {
 public:
  DctMethod() = default;
  DctMethod(std::string_view word);
  DctMethod(const char* word) : DctMethod(std::string_view(word)) {}
  bool accurate() const { return accurate_; }

 private:
  bool accurate_ = false;
};

struct DecodeJpegOptions {
  int64_t channels = 0;         // 0: those of the file, 1: grey, 3: red, green and blue
  int64_t ratio = 1;            // 1, 2, 4 or 8: by how much the picture is made smaller
  bool fancy_upscaling = true;  // whether colours are blended from pixel to pixel
  bool try_recover_truncated =
      false;  // whether a file that ends too soon is taken; the rest is grey
  DctMethod dct_method;
};

/// The pixels of a JPEG file: uint8 [height, width, channels]. A file of four inks becomes red,
/// green and blue. Bytes that are no JPEG file, or a damaged one, are an InvalidArgumentError; what
/// can still be read of wrong data is read, as in TensorFlow.
///   decode_jpeg(read_file("bird.jpg"), {.channels = 3})
Tensor decode_jpeg(std::string_view bytes, const DecodeJpegOptions& options = {});

/// What the density of a file's pixels is counted in: "in" (pixels an inch) or "cm".
class DensityUnit {
 public:
  DensityUnit() = default;
  DensityUnit(std::string_view word);
  DensityUnit(const char* word) : DensityUnit(std::string_view(word)) {}
  bool is_centimetre() const { return centimetre_; }

 private:
  bool centimetre_ = false;
};

struct EncodeJpegOptions {
  int64_t quality = 95;  // 0 to 100
  bool progressive = false;
  bool optimize_size = false;       // smaller, and slower to make
  bool chroma_downsampling = true;  // whether colours are stored at half the resolution
  DensityUnit density_unit;
  int64_t x_density = 300;
  int64_t y_density = 300;
};

/// A JPEG file of pixels, uint8 [height, width, channels] of 1 or 3 channels.
std::string encode_jpeg(const Tensor& image, const EncodeJpegOptions& options = {});

/// Whether bytes begin as a JPEG file does.
bool is_jpeg(std::string_view bytes);

}  // namespace alula::io
