#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "alula/io/buffered_reader.h"
#include "alula/io/gzip.h"

namespace alula::io {

struct LineReaderOptions {
  Compression compression_type = {};  // "", "GZIP" or "ZLIB"
};

/// The lines of a text file, without their ends (\n or \r\n). What follows the last end of line is
/// a line unless it is empty.
///   LineReader reader("poem.txt");
///   for (std::string line; reader.read(line);) …
/// TensorFlow's TextLineDataset also drops every \r inside a line; here it stays.
class LineReader {
 public:
  explicit LineReader(const std::string& path, const LineReaderOptions& options = {});
  explicit LineReader(std::unique_ptr<ByteSource> source) : input_(std::move(source)) {}

  /// The next line; false at the end.
  bool read(std::string& line);
  /// The same without a copy: it is valid until the next call.
  bool next(std::string_view& line);

  /// Where the next line begins, counted in bytes that are not compressed: what `seek` takes.
  uint64_t position() const { return input_.position(); }
  /// Goes on at a position of an earlier reader of the same file. Only forward.
  void seek(uint64_t position) { input_.seek(position); }

 private:
  BufferedReader input_;
};

}  // namespace alula::io
