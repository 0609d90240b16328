#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Files. An error names the file: NotFoundError where there is none, DataLossError where it is
/// damaged, ResourceExhaustedError where the disk is full, FailedPreconditionError for the rest.
namespace alula::io {

/// Bytes that are read from front to back.
class ByteSource {
 public:
  /// `name` is what messages call it, for a file its path.
  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  const std::string& name() const { return name_; }
  /// Reads up to `bytes` bytes and says how many; fewer only at the end.
  virtual size_t read(void* to, size_t bytes) = 0;
  /// How many bytes can still come, at most. What a file says of its own size is held against
  /// this before memory is taken for it.
  virtual uint64_t at_most() const = 0;
  /// Leaves out so many bytes, or all to the end, and says how many.
  virtual uint64_t skip(uint64_t bytes);

  /// Reads that many, or throws DataLossError that says where the source ended.
  void read_exactly(void* to, size_t bytes);
  /// Throws DataLossError if there is more.
  void expect_end();

 private:
  std::string name_;
};

/// A file, read from its beginning.
class FileReader final : public ByteSource {
 public:
  explicit FileReader(const std::string& path);
  ~FileReader() override;
  size_t read(void* to, size_t bytes) override;
  uint64_t at_most() const override { return left_; }
  uint64_t skip(uint64_t bytes) override;

 private:
  int descriptor_;
  uint64_t left_;
};

/// Bytes in memory, which must outlive it.
class MemoryReader final : public ByteSource {
 public:
  MemoryReader(std::string_view bytes, std::string name)
      : ByteSource(std::move(name)), left_(bytes) {}
  size_t read(void* to, size_t bytes) override;
  uint64_t at_most() const override { return left_.size(); }
  uint64_t skip(uint64_t bytes) override;

 private:
  std::string_view left_;
};

/// A whole file.
std::string read_file(const std::string& path);

/// A new file, written through a buffer. What was not flushed when it is destroyed is lost.
class FileWriter {
 public:
  enum class Existing { kReplace, kRefuse };
  explicit FileWriter(const std::string& path, Existing existing = Existing::kReplace);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();

  const std::string& path() const { return path_; }
  void write(std::string_view bytes) { write(bytes.data(), bytes.size()); }
  void write(const void* bytes, size_t count);
  /// Hands everything to the system: other processes can read it.
  void flush();
  /// Flushes, and waits until it is on the disk.
  void sync();
  /// Flushes and closes. Closing twice does nothing.
  void close();

 private:
  void write_through(const char* bytes, size_t count);
  std::string path_;
  std::string buffer_;
  int descriptor_ = -1;
};

/// A file that appears whole or not at all: written beside its place under another name, and
/// renamed by `commit`. Killed at any moment, what was there before is still there. A symbolic link
/// in its place is replaced.
///   AtomicFile file("model.safetensors");
///   file.write(bytes);
///   file.commit();
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  /// Discards what was written if it was not committed.
  ~AtomicFile();

  void write(std::string_view bytes) { writer_.write(bytes); }
  void write(const void* bytes, size_t count) { writer_.write(bytes, count); }
  /// Puts the file, safely on the disk, in its place.
  void commit();

 private:
  std::string path_;
  FileWriter writer_;
  bool committed_ = false;
};

}  // namespace alula::io
