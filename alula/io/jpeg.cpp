// libjpeg reports errors by longjmp. What it may leave that way are functions of plain data alone:
// no object with a destructor lives in a frame that is jumped over.
#include "alula/io/jpeg.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <jerror.h>
#include <jpeglib.h>

#include "alula/core/error.h"
#include "alula/io/png.h"

namespace alula::io {
namespace {

constexpr const char* kDecode = "decode_jpeg";
constexpr const char* kEncode = "encode_jpeg";

/// The library's errors, and where to go.
struct Failure {
  jpeg_error_mgr manager;
  std::jmp_buf where;
  char reason[JMSG_LENGTH_MAX];

  void fail(const char* text) {
    std::snprintf(reason, sizeof(reason), "%s", text);
    std::longjmp(where, 1);
  }
};

[[noreturn]] void on_error(j_common_ptr info) {
  auto* failure = reinterpret_cast<Failure*>(info->err);
  info->err->format_message(info, failure->reason);
  std::longjmp(failure->where, 1);
}
void on_message(j_common_ptr) {}
void on_warning(j_common_ptr info, int level) {
  if (level < 0) ++info->err->num_warnings;
}

void install(Failure& failure, jpeg_error_mgr*& manager) {
  manager = jpeg_std_error(&failure.manager);
  failure.manager.error_exit = on_error;
  failure.manager.output_message = on_message;
  failure.manager.emit_message = on_warning;
  failure.reason[0] = '\0';
}

// ---- reading ---------------------------------------------------------------------------------

struct Source {
  jpeg_source_mgr manager;
  bool recover;
};

::boolean fill_buffer(j_decompress_ptr info) {
  static constexpr JOCTET kEnd[] = {0xFF, JPEG_EOI};
  auto* source = reinterpret_cast<Source*>(info->src);
  if (!source->recover) reinterpret_cast<Failure*>(info->err)->fail("it ends too soon");
  source->manager.next_input_byte = kEnd;
  source->manager.bytes_in_buffer = sizeof(kEnd);
  return TRUE;
}

void skip_bytes(j_decompress_ptr info, long count) {
  jpeg_source_mgr* source = info->src;
  if (count <= 0) return;
  if (static_cast<size_t>(count) > source->bytes_in_buffer) {
    fill_buffer(info);
    return;
  }
  source->next_input_byte += count;
  source->bytes_in_buffer -= static_cast<size_t>(count);
}
void nothing(j_decompress_ptr) {}

/// A progressive file of some kilobytes can have thousands of scans over a large picture.
struct Progress {
  jpeg_progress_mgr manager;
};
void check_scans(j_common_ptr info) {
  constexpr int kMostScans = 500;
  if (!info->is_decompressor) return;
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > kMostScans)
    reinterpret_cast<Failure*>(info->err)->fail("it has more than 500 scans");
}

class Reader {
 public:
  Reader(std::string_view bytes, const DecodeJpegOptions& options) {
    install(failure_, info_.err);
    source_.recover = options.try_recover_truncated;
    source_.manager = {.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data()),
                       .bytes_in_buffer = bytes.size(),
                       .init_source = nothing,
                       .fill_input_buffer = fill_buffer,
                       .skip_input_data = skip_bytes,
                       .resync_to_restart = jpeg_resync_to_restart,
                       .term_source = nothing};
    progress_.manager.progress_monitor = check_scans;
  }
  ~Reader() {
    if (created_) jpeg_destroy_decompress(&info_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  const char* reason() const { return failure_.reason; }

  bool read_header() {
    if (setjmp(failure_.where) != 0) return false;
    jpeg_create_decompress(&info_);
    created_ = true;
    info_.src = &source_.manager;
    info_.progress = &progress_.manager;
    jpeg_read_header(&info_, TRUE);
    return true;
  }

  bool has_inks() const {
    return info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK;
  }
  /// The channels of the result if none are asked for.
  int64_t channels() const { return has_inks() ? 3 : info_.num_components; }
  int64_t pixels() const { return int64_t{info_.image_width} * info_.image_height; }
  bool is_arithmetic() const { return info_.arith_code != 0; }
  int64_t width() const { return info_.output_width; }
  int64_t height() const { return info_.output_height; }

  /// Has rows converted as they are read.
  bool start(int64_t channels, const DecodeJpegOptions& options) {
    if (setjmp(failure_.where) != 0) return false;
    info_.out_color_space = channels == 1 ? JCS_GRAYSCALE : has_inks() ? JCS_CMYK : JCS_RGB;
    info_.scale_num = 1;
    info_.scale_denom = static_cast<unsigned>(options.ratio);
    info_.do_fancy_upsampling = static_cast<::boolean>(options.fancy_upscaling);
    info_.dct_method = options.dct_method.accurate() ? JDCT_ISLOW : JDCT_IFAST;
    jpeg_calc_output_dimensions(&info_);
    return true;
  }

  /// `inks`: room for a row of them.
  bool read_rows(JSAMPLE* to, int64_t row, JSAMPLE* inks) {
    if (setjmp(failure_.where) != 0) return false;
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) {
      JSAMPLE* colours = to + info_.output_scanline * row;
      JSAMPLE* rows[] = {has_inks() ? inks : colours};
      if (jpeg_read_scanlines(&info_, rows, 1) != 1) failure_.fail("it ends too soon");
      if (has_inks()) to_colours(inks, colours);
    }
    jpeg_finish_decompress(&info_);
    return true;
  }

 private:
  /// Adobe's files have the inks' complements.
  void to_colours(const JSAMPLE* inks, JSAMPLE* to) const {
    const int flip = info_.saw_Adobe_marker != 0 ? 0 : 255;
    for (JDIMENSION i = 0; i < info_.output_width; ++i, inks += 4, to += 3)
      for (int k = 0; k < 3; ++k)
        to[k] = static_cast<JSAMPLE>((inks[k] ^ flip) * (inks[3] ^ flip) / 255);
  }

  jpeg_decompress_struct info_{};
  Failure failure_{};
  Source source_{};
  Progress progress_{};
  bool created_ = false;
};

[[noreturn]] void fail_to_decode(std::string_view bytes, const char* reason) {
  fail("{}: these are not the bytes of a good JPEG file: {}. Got {} bytes.", kDecode, reason,
       bytes.size());
}

void check_options(const DecodeJpegOptions& options) {
  require(options.channels == 0 || options.channels == 1 || options.channels == 3,
          "{}: channels must be 0, 1 or 3. Got {}.", kDecode, options.channels);
  require(options.ratio == 1 || options.ratio == 2 || options.ratio == 4 || options.ratio == 8,
          "{}: the ratio must be 1, 2, 4 or 8. Got {}.", kDecode, options.ratio);
}

/// A header may claim any size. A block of 64 pixels takes a bit at least (but not if it is coded
/// arithmetically), and so a file bounds the memory that is taken for it.
void check_size(std::string_view bytes, const Reader& reader, const DecodeJpegOptions& options) {
  constexpr int64_t kMostChannels = 4;
  require(reader.pixels() <= kMostPictureBytes / kMostChannels,
          "{}: the picture is too large. Got {} pixels; at most {} are decoded.", kDecode,
          reader.pixels(), kMostPictureBytes / kMostChannels);
  const bool bounded = !options.try_recover_truncated && !reader.is_arithmetic();
  if (bounded && reader.pixels() / 512 > static_cast<int64_t>(bytes.size()))
    fail_to_decode(bytes, "it is too short for the size that it claims");
}

}  // namespace

DctMethod::DctMethod(std::string_view word) : accurate_(word == "INTEGER_ACCURATE") {
  require(accurate_ || word.empty() || word == "INTEGER_FAST",
          "{}: the dct_method must be INTEGER_FAST or INTEGER_ACCURATE. Got '{}'.", kDecode, word);
}

DensityUnit::DensityUnit(std::string_view word) : centimetre_(word == "cm") {
  require(centimetre_ || word == "in", "{}: the density_unit must be in or cm. Got '{}'.", kEncode,
          word);
}

bool is_jpeg(std::string_view bytes) { return bytes.substr(0, 3) == "\xFF\xD8\xFF"; }

Tensor decode_jpeg(std::string_view bytes, const DecodeJpegOptions& options) {
  check_options(options);
  if (!is_jpeg(bytes)) fail_to_decode(bytes, "they begin otherwise");
  Reader reader(bytes, options);
  if (!reader.read_header()) fail_to_decode(bytes, reader.reason());
  check_size(bytes, reader, options);
  const int64_t channels = options.channels == 0 ? reader.channels() : options.channels;
  if (channels != 1 && channels != 3) fail_to_decode(bytes, "it has neither 1 nor 3 channels");
  if (!reader.start(channels, options)) fail_to_decode(bytes, reader.reason());
  Tensor image = Tensor::uninitialized({uint8, {reader.height(), reader.width(), channels}});
  const std::string inks(reader.has_inks() ? static_cast<size_t>(reader.width()) * 4 : 0, '\0');
  if (!reader.read_rows(static_cast<JSAMPLE*>(image.mutable_data()), reader.width() * channels,
                        reinterpret_cast<JSAMPLE*>(const_cast<char*>(inks.data()))))
    fail_to_decode(bytes, reader.reason());
  return image;
}

// ---- writing ---------------------------------------------------------------------------------

namespace {

class Writer {
 public:
  Writer() { install(failure_, info_.err); }
  ~Writer() {
    if (created_) jpeg_destroy_compress(&info_);
    std::free(bytes_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  const char* reason() const { return failure_.reason; }
  std::string_view bytes() const { return {reinterpret_cast<const char*>(bytes_), size_}; }

  bool write(const JSAMPLE* pixels, const Shape& shape, const EncodeJpegOptions& options) {
    if (setjmp(failure_.where) != 0) return false;
    jpeg_create_compress(&info_);
    created_ = true;
    jpeg_mem_dest(&info_, &bytes_, &size_);
    info_.image_height = static_cast<JDIMENSION>(shape[0]);
    info_.image_width = static_cast<JDIMENSION>(shape[1]);
    info_.input_components = static_cast<int>(shape[2]);
    info_.in_color_space = shape[2] == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info_);
    apply(options);
    jpeg_start_compress(&info_, TRUE);
    const int64_t row = shape[1] * shape[2];
    while (info_.next_scanline < info_.image_height) {
      JSAMPLE* rows[] = {const_cast<JSAMPLE*>(pixels + info_.next_scanline * row)};
      jpeg_write_scanlines(&info_, rows, 1);
    }
    jpeg_finish_compress(&info_);
    return true;
  }

 private:
  void apply(const EncodeJpegOptions& options) {
    if (options.optimize_size) info_.optimize_coding = TRUE;
    info_.density_unit = options.density_unit.is_centimetre() ? 2 : 1;
    info_.X_density = static_cast<UINT16>(options.x_density);
    info_.Y_density = static_cast<UINT16>(options.y_density);
    jpeg_set_quality(&info_, static_cast<int>(options.quality), TRUE);
    if (options.progressive) jpeg_simple_progression(&info_);
    if (options.chroma_downsampling) return;
    for (int i = 0; i < info_.num_components; ++i)
      info_.comp_info[i].h_samp_factor = info_.comp_info[i].v_samp_factor = 1;
  }

  jpeg_compress_struct info_{};
  Failure failure_{};
  unsigned char* bytes_ = nullptr;
  unsigned long size_ = 0;
  bool created_ = false;
};

}  // namespace

std::string encode_jpeg(const Tensor& image, const EncodeJpegOptions& options) {
  const Spec& spec = image.spec();
  require(spec.dtype == uint8, "{}: takes uint8. Got {}. Use convert_image_dtype().", kEncode,
          spec);
  require(spec.rank() == 3 && (spec.shape[2] == 1 || spec.shape[2] == 3),
          "{}: an image is [height, width, channels] of 1 or 3 channels. Got {}.", kEncode, spec);
  require(spec.shape[0] > 0 && spec.shape[1] > 0 && spec.shape[0] <= JPEG_MAX_DIMENSION &&
              spec.shape[1] <= JPEG_MAX_DIMENSION,
          "{}: height and width must be from 1 to {}. Got {}.", kEncode, JPEG_MAX_DIMENSION, spec);
  require(options.quality >= 0 && options.quality <= 100,
          "{}: the quality must be from 0 to 100. Got {}.", kEncode, options.quality);
  require(options.x_density >= 0 && options.x_density <= 65535 && options.y_density >= 0 &&
              options.y_density <= 65535,
          "{}: densities must be from 0 to 65535. Got {} and {}.", kEncode, options.x_density,
          options.y_density);
  Writer writer;
  const Tensor host = image.cpu();
  if (!writer.write(static_cast<const JSAMPLE*>(host.data()), spec.shape, options))
    fail<ResourceExhaustedError>("{}: {}. Got {}.", kEncode, writer.reason(), spec);
  return std::string(writer.bytes());
}

}  // namespace alula::io
