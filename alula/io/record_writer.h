#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "alula/io/deflate.h"
#include "alula/io/file.h"

namespace alula::io {

struct RecordWriterOptions {
  Compression compression_type = {};  // "", "GZIP" or "ZLIB"
  int compression_level = -1;         // 0 to 9; -1 is zlib's own choice
  /// A file that is there is replaced, unless told otherwise.
  FileWriter::Existing existing = FileWriter::Existing::kReplace;
};

/// A TFRecord file: records of bytes, each with its length and checksums.
///   RecordWriter writer("train.tfrecord");
///   writer.write(bytes);
///   writer.close();
class RecordWriter {
 public:
  explicit RecordWriter(const std::string& path, const RecordWriterOptions& options = {});
  /// Closes; to hear of an error, call `close`.
  ~RecordWriter();

  const std::string& path() const { return file_.path(); }
  void write(std::string_view record);
  /// Lets other processes see what was written.
  void flush();
  void close();

 private:
  void put(std::string_view bytes);

  FileWriter file_;
  std::unique_ptr<Deflater> deflater_;  // none if the file is not compressed
  std::string packed_;
};

}  // namespace alula::io
