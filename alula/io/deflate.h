#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "alula/io/gzip.h"

namespace alula::io {

struct DeflaterOptions {
  DeflateFormat format = DeflateFormat::kGzip;
  int level = -1;  // 0 (none) to 9 (smallest); -1 is zlib's own choice
};

/// Compresses a stream, piece by piece.
///   Deflater deflater;
///   std::string packed;
///   deflater.write("text", packed);
///   deflater.finish(packed);
class Deflater {
 public:
  explicit Deflater(const DeflaterOptions& options = {});
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater();

  /// Takes some bytes, and appends what there is of the compressed stream.
  void write(std::string_view bytes, std::string& packed);
  /// Appends the rest of what was taken, so that a reader sees all of it.
  void flush(std::string& packed);
  /// Appends the end of the stream. Nothing can be taken after it.
  void finish(std::string& packed);

 private:
  void run(std::string_view bytes, int mode, std::string& packed);

  std::unique_ptr<z_stream_s> stream_;
  std::unique_ptr<char[]> output_;
};

/// Compresses bytes in memory; `gunzip` is the inverse of the gzip format.
std::string deflate(std::string_view bytes, const DeflaterOptions& options = {});

}  // namespace alula::io
