#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "alula/io/file.h"

struct z_stream_s;

namespace alula::io {

/// A gzip stream (RFC 1952, of one member or several), decompressed as it is read, straight to
/// where it is wanted. Truncated or damaged data, a wrong checksum and bytes behind the end throw
/// DataLossError; the checksum is compared when the end is reached.
class GzipReader final : public ByteSource {
 public:
  explicit GzipReader(std::unique_ptr<ByteSource> compressed);
  ~GzipReader() override;
  size_t read(void* to, size_t bytes) override;
  uint64_t at_most() const override;

 private:
  /// Whether there is input to decompress, after reading more if need be.
  bool fill();
  [[noreturn]] void fail_with(const char* reason);

  std::unique_ptr<ByteSource> compressed_;
  std::unique_ptr<unsigned char[]> input_;
  std::unique_ptr<z_stream_s> stream_;
  bool member_ended_ = false;
};

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
