// libpng reports errors by longjmp. What it may leave that way are functions of plain data alone:
// no object with a destructor lives in a frame that is jumped over.
#include "alula/io/png.h"

#include <csetjmp>
#include <cstring>
#include <png.h>
#include <vector>

#include "alula/core/error.h"

namespace alula::io {
namespace {

constexpr std::string_view kSignature = "\x89PNG\r\n\x1A\n";

/// What went wrong, for whoever called setjmp.
struct Failure {
  char reason[160] = {};
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto* failure = static_cast<Failure*>(png_get_error_ptr(png));
  std::snprintf(failure->reason, sizeof(failure->reason), "%s", message);
  png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

// ---- reading ---------------------------------------------------------------------------------

struct Source {
  const char* data;
  size_t left;
};

void read_bytes(png_structp png, png_bytep to, size_t count) {
  auto* source = static_cast<Source*>(png_get_io_ptr(png));
  if (count > source->left) png_error(png, "it ends too soon");
  std::memcpy(to, source->data, count);
  source->data += count;
  source->left -= count;
}

struct Header {
  png_uint_32 width, height;
  int depth, colour;  // bits a channel, and libpng's colour type
  bool transparency;  // of a palette, or of one colour
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : source_{bytes.data(), bytes.size()} {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &failure_, on_error, on_warning);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ != nullptr) png_set_read_fn(png_, &source_, read_bytes);
  }
  ~Reader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  bool ready() const { return info_ != nullptr; }
  const char* reason() const { return failure_.reason; }

  bool read_header(Header& header) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_info(png_, info_);
    png_get_IHDR(png_, info_, &header.width, &header.height, &header.depth, &header.colour, nullptr,
                 nullptr, nullptr);
    header.transparency = png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
    return true;
  }

  /// Bytes that a row of the file takes.
  size_t row_bytes() const { return png_get_rowbytes(png_, info_); }

  /// Has rows converted as they are read; says how many bytes one then takes.
  bool convert(const Header& header, int64_t channels, bool wide, size_t& row_bytes) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    set_opacity(header, channels % 2 == 0);
    if (header.depth == 16) {
      if (wide)
        png_set_swap(png_);  // files have the high byte first
      else
        png_set_strip_16(png_);
    }
    png_set_packing(png_);
    passes_ = png_set_interlace_handling(png_);
    if (header.colour == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
    const bool is_gray = (header.colour & PNG_COLOR_MASK_COLOR) == 0;
    if (is_gray && header.depth < 8) png_set_expand_gray_1_2_4_to_8(png_);
    if (is_gray && channels >= 3) png_set_gray_to_rgb(png_);
    if (!is_gray && channels < 3) png_set_rgb_to_gray(png_, 1, 0.299, 0.587);
    png_read_update_info(png_, info_);
    row_bytes = png_get_rowbytes(png_, info_);
    return true;
  }

  bool read_rows(char* to, size_t row_bytes, size_t rows) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    for (int pass = 0; pass < passes_; ++pass)
      for (size_t i = 0; i < rows; ++i)
        png_read_row(png_, reinterpret_cast<png_bytep>(to + i * row_bytes), nullptr);
    png_read_end(png_, nullptr);
    return true;
  }

 private:
  void set_opacity(const Header& header, bool wanted) {
    const bool given = (header.colour & PNG_COLOR_MASK_ALPHA) != 0;
    if (!wanted && (given || header.transparency))
      png_set_strip_alpha(png_);
    else if (wanted && !given && header.transparency)
      png_set_tRNS_to_alpha(png_);
    else if (wanted && !given)
      png_set_add_alpha(png_, (1U << header.depth) - 1, PNG_FILLER_AFTER);
  }

  Failure failure_;
  Source source_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  int passes_ = 1;
};

constexpr const char* kDecode = "decode_png";

[[noreturn]] void fail_to_decode(std::string_view bytes, const char* reason) {
  fail("{}: these are not the bytes of a good PNG file: {}. Got {} bytes.", kDecode, reason,
       bytes.size());
}

int64_t channels_of(const Header& header) {
  switch (header.colour) {
    case PNG_COLOR_TYPE_GRAY: return 1;
    case PNG_COLOR_TYPE_GRAY_ALPHA: return 2;
    case PNG_COLOR_TYPE_RGB_ALPHA: return 4;
    case PNG_COLOR_TYPE_PALETTE: return header.transparency ? 4 : 3;
    default: return 3;
  }
}

/// A header may claim any size. What zlib packs is at most 1032 times as large as the file, and so
/// is then the memory that is taken for it.
void check_size(std::string_view bytes, const Header& header, size_t file_row, const Spec& result) {
  constexpr uint64_t kMostPacked = 1032;
  require(result.shape.checked_size(kDecode, size_of(result.dtype)) *
                  static_cast<int64_t>(size_of(result.dtype)) <=
              kMostPictureBytes,
          "{}: the picture is too large. Got {}; at most {} bytes are decoded.", kDecode, result,
          kMostPictureBytes);
  if (uint64_t{header.height} * file_row > kMostPacked * bytes.size())
    fail_to_decode(bytes, "it is too short for the size that it claims");
}

/// 8-bit rows that were read as such, times 257, in the place of 16-bit ones. From the end on: the
/// bytes lie in the first half.
void widen(Tensor& image) {
  auto* wide = static_cast<uint16_t*>(image.mutable_data());
  const auto* narrow = static_cast<const uint8_t*>(image.mutable_data());
  for (int64_t i = image.size(); i-- > 0;) wide[i] = static_cast<uint16_t>(narrow[i] * 257);
}

}  // namespace

bool is_png(std::string_view bytes) { return bytes.substr(0, kSignature.size()) == kSignature; }

Tensor decode_png(std::string_view bytes, const DecodePngOptions& options) {
  require(options.channels == 0 || options.channels == 1 || options.channels == 3 ||
              options.channels == 4,
          "{}: channels must be 0, 1, 3 or 4. Got {}.", kDecode, options.channels);
  require(options.dtype == uint8 || options.dtype == uint16,
          "{}: the dtype must be uint8 or uint16. Got {}.", kDecode, options.dtype);
  if (!is_png(bytes)) fail_to_decode(bytes, "they begin otherwise");
  Reader reader(bytes);
  require<ResourceExhaustedError>(reader.ready(), "{}: out of memory.", kDecode);
  Header header{};
  if (!reader.read_header(header)) fail_to_decode(bytes, reader.reason());
  const int64_t channels = options.channels == 0 ? channels_of(header) : options.channels;
  const Spec spec{options.dtype, {header.height, header.width, channels}};
  check_size(bytes, header, reader.row_bytes(), spec);
  const bool wide = options.dtype == uint16;
  size_t row_bytes = 0;
  if (!reader.convert(header, channels, wide, row_bytes)) fail_to_decode(bytes, reader.reason());
  const bool widened = wide && header.depth <= 8;
  const auto row =
      static_cast<size_t>(int64_t{header.width} * channels) * (wide && !widened ? 2 : 1);
  require<InternalError>(row_bytes == row, "{}: rows of {} bytes instead of {}.", kDecode,
                         row_bytes, row);
  Tensor image = Tensor::uninitialized(spec);
  if (!reader.read_rows(static_cast<char*>(image.mutable_data()), row, header.height))
    fail_to_decode(bytes, reader.reason());
  if (widened) widen(image);
  return image;
}

// ---- writing ---------------------------------------------------------------------------------

namespace {

constexpr const char* kEncode = "encode_png";

struct Sink {
  std::string bytes;
  bool full = false;
};

/// The exception ends here, before libpng is told: a longjmp must not leave its handler.
void write_bytes(png_structp png, png_bytep from, size_t count) {
  auto* sink = static_cast<Sink*>(png_get_io_ptr(png));
  try {
    sink->bytes.append(reinterpret_cast<const char*>(from), count);
  } catch (const std::bad_alloc&) {
    sink->full = true;
  }
  if (sink->full) png_error(png, "out of memory");
}
void flush_bytes(png_structp) {}

class Writer {
 public:
  Writer() {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, &failure_, on_error, on_warning);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ != nullptr) png_set_write_fn(png_, &sink_, write_bytes, flush_bytes);
  }
  ~Writer() { png_destroy_write_struct(&png_, &info_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  bool ready() const { return info_ != nullptr; }
  const char* reason() const { return failure_.reason; }
  std::string take() { return std::move(sink_.bytes); }

  bool write(const Tensor& image, int compression) {
    static constexpr int kColours[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                       PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    const Shape& shape = image.shape();
    const auto bytes = static_cast<int>(size_of(image.dtype()));
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(shape[1]),
                 static_cast<png_uint_32>(shape[0]), bytes * 8, kColours[shape[2] - 1],
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (compression >= 0) png_set_compression_level(png_, compression);
    png_write_info(png_, info_);
    if (bytes == 2) png_set_swap(png_);
    const auto* row = static_cast<png_const_bytep>(image.data());
    for (int64_t i = 0; i < shape[0]; ++i, row += shape[1] * shape[2] * bytes)
      png_write_row(png_, row);
    png_write_end(png_, info_);
    return true;
  }

 private:
  Failure failure_;
  Sink sink_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

}  // namespace

std::string encode_png(const Tensor& image, const EncodePngOptions& options) {
  const Spec& spec = image.spec();
  require(spec.dtype == uint8 || spec.dtype == uint16,
          "{}: takes uint8 and uint16. Got {}. Use convert_image_dtype().", kEncode, spec);
  require(spec.rank() == 3 && spec.shape[2] >= 1 && spec.shape[2] <= 4,
          "{}: an image is [height, width, channels] of 1 to 4 channels. Got {}.", kEncode, spec);
  require(spec.shape[0] > 0 && spec.shape[1] > 0 && spec.shape[0] <= PNG_UINT_31_MAX &&
              spec.shape[1] <= PNG_UINT_31_MAX,
          "{}: height and width must be positive and below 2^31. Got {}.", kEncode, spec);
  require(options.compression >= -1 && options.compression <= 9,
          "{}: the compression must be from 0 to 9, or -1. Got {}.", kEncode, options.compression);
  Writer writer;
  const Tensor host = image.cpu();
  require<ResourceExhaustedError>(writer.ready(), "{}: out of memory.", kEncode);
  if (!writer.write(host, static_cast<int>(options.compression)))
    fail<ResourceExhaustedError>("{}: {}. Got {}.", kEncode, writer.reason(), spec);
  return writer.take();
}

}  // namespace alula::io
