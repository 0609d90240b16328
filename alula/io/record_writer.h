#pragma once
#include <string>
#include <string_view>

#include "alula/io/file.h"

namespace alula::io {

/// A TFRecord file: records of bytes, each with its length and checksums.
///   RecordWriter writer("train.tfrecord");
///   writer.write(bytes);
///   writer.close();
class RecordWriter {
 public:
  /// Replaces a file that is there, unless told otherwise.
  explicit RecordWriter(const std::string& path,
                        FileWriter::Existing existing = FileWriter::Existing::kReplace)
      : file_(path, existing) {}
  /// Closes; to hear of an error, call `close`.
  ~RecordWriter();

  const std::string& path() const { return file_.path(); }
  void write(std::string_view record);
  /// Lets other processes see what was written.
  void flush() { file_.flush(); }
  void close() { file_.close(); }

 private:
  FileWriter file_;
};

}  // namespace alula::io
