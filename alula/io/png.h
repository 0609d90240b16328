#pragma once
#include <string>
#include <string_view>

#include "alula/core/tensor.h"

namespace alula::io {

/// A picture of more bytes than this, once decoded, is refused, as in TensorFlow.
inline constexpr int64_t kMostPictureBytes = int64_t{1} << 29;

struct DecodePngOptions {
  /// 0: those of the file (2 are grey and opacity), 1: grey, 3: red, green and blue, 4: these and
  /// opacity
  int64_t channels = 0;
  DType dtype = uint8;  // or uint16
};

/// The pixels of a PNG file: [height, width, channels]. A file of 8 bits that is read as uint16 has
/// its values times 257. Bytes that are no PNG file, or a damaged one, are an InvalidArgumentError;
/// no more memory is taken than such a file can need.
///   decode_png(read_file("bird.png"))
Tensor decode_png(std::string_view bytes, const DecodePngOptions& options = {});

struct EncodePngOptions {
  int64_t compression = -1;  // 0, none, to 9, the most; -1: zlib's choice
};

/// A PNG file of pixels, uint8 or uint16 [height, width, channels] of 1 to 4 channels.
std::string encode_png(const Tensor& image, const EncodePngOptions& options = {});

/// Whether bytes begin as a PNG file does.
bool is_png(std::string_view bytes);

}  // namespace alula::io
