#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "alula/io/buffered_reader.h"
#include "alula/io/gzip.h"

namespace alula::io {

struct RecordReaderOptions {
  Compression compression_type = {};  // "", "GZIP" or "ZLIB"
};

/// The records of a TFRecord file, from front to back. Checksums of lengths and of records are
/// compared; damage throws DataLossError that names file and byte. If only a record is damaged, and
/// not its length, reading can go on: the next call gives the record behind it. After other damage
/// nothing more can be found, and the file is at its end.
///   RecordReader reader("train.tfrecord");
///   for (std::string record; reader.read(record);) …
class RecordReader {
 public:
  explicit RecordReader(const std::string& path, const RecordReaderOptions& options = {});
  /// Of any bytes, which are not compressed or are read as what they hold.
  explicit RecordReader(std::unique_ptr<ByteSource> source) : input_(std::move(source)) {}

  /// The next record; false at the end.
  bool read(std::string& record);
  /// The same without a copy: it is valid until the next call.
  bool next(std::string_view& record);

  /// Where the next record begins, counted in bytes that are not compressed: what `seek` takes.
  uint64_t position() const { return input_.position(); }
  /// Goes on at a position of an earlier reader of the same file. Only forward.
  void seek(uint64_t position);

 private:
  /// The length of the record at the window's beginning; false at the end of the file.
  bool read_length(uint64_t& length);
  [[noreturn, gnu::cold]] void fail_cut_short(uint64_t wanted);

  BufferedReader input_;
  bool ended_ = false;
};

}  // namespace alula::io
