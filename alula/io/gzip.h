#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "alula/io/file.h"

struct z_stream_s;

namespace alula::io {

/// What is around compressed data: RFC 1952's header and checksum, RFC 1950's, or nothing, as in
/// zip files.
enum class DeflateFormat { kGzip, kZlib, kRaw };
/// How zlib is told the format, with the largest window.
int window_bits(DeflateFormat format);

/// A gzip stream (of one member or several) or a stream of zlib's, decompressed as it is read,
/// straight to where it is wanted. Truncated or damaged data, a wrong checksum and bytes behind the
/// end throw DataLossError; the checksum is compared when the end is reached.
class GzipReader final : public ByteSource {
 public:
  explicit GzipReader(std::unique_ptr<ByteSource> compressed,
                      DeflateFormat format = DeflateFormat::kGzip);
  ~GzipReader() override;
  size_t read(void* to, size_t bytes) override;
  uint64_t at_most() const override;

 private:
  /// Whether there is input to decompress, after reading more if need be.
  bool fill();
  [[noreturn]] void fail_with(const char* reason);

  std::unique_ptr<ByteSource> compressed_;
  DeflateFormat format_;
  std::unique_ptr<unsigned char[]> input_;
  std::unique_ptr<z_stream_s> stream_;
  bool member_ended_ = false;
};

/// How a whole file is compressed, in TensorFlow's words: "" (not at all), "GZIP" or "ZLIB".
class Compression {
 public:
  Compression() = default;
  Compression(std::string_view name);
  Compression(const char* name) : Compression(std::string_view(name)) {}
  Compression(const std::string& name) : Compression(std::string_view(name)) {}

  bool is_none() const { return !compressed_; }
  DeflateFormat format() const { return format_; }
  bool operator==(const Compression&) const = default;

 private:
  bool compressed_ = false;
  DeflateFormat format_ = DeflateFormat::kGzip;
};

/// A file, read as what it holds.
///   open_compressed("train.tfrecord.gz", "GZIP")
std::unique_ptr<ByteSource> open_compressed(const std::string& path, Compression compression);

/// Whether a file that begins with these bytes is a gzip file.
bool is_gzip(std::string_view beginning);

/// A file that may be compressed by gzip, read as what it holds.
std::unique_ptr<ByteSource> open_maybe_gzip(const std::string& path);
/// The same of bytes in memory, which must outlive it.
std::unique_ptr<ByteSource> maybe_gzip(std::string_view bytes, std::string name);

struct GunzipOptions {
  /// More than this is an error: a few kilobytes can be made to decompress to gigabytes.
  uint64_t limit = uint64_t{4} << 30;
  std::string name = "gunzip";
};

/// Decompresses a gzip stream in memory.
std::string gunzip(std::string_view bytes, const GunzipOptions& options = {});
/// Decompresses a gzip file; messages call it by its path.
std::string read_gzip_file(const std::string& path, const GunzipOptions& options = {});

}  // namespace alula::io
