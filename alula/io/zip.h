#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "alula/io/file.h"

namespace alula::io {

/// A file within a zip file.
struct ZipMember {
  std::string name;
  uint16_t method = 0;
  uint32_t crc = 0;
  uint64_t packed_bytes = 0;
  uint64_t bytes = 0;
  uint64_t position = 0;  // of its own header
};

/// The members of a zip file, stored or deflated, of any size (zip64). Damage throws DataLossError
/// that names the file; what is encrypted or otherwise compressed UnimplementedError.
///   ZipReader zip = ZipReader::of_file("arrays.npz");
///   for (const ZipMember& member : zip.members()) read(*zip.open(member));
class ZipReader {
 public:
  static ZipReader of_file(const std::string& path);
  /// Of bytes in memory, which must outlive it.
  static ZipReader of_bytes(std::string_view bytes, const std::string& name);

  const std::vector<ZipMember>& members() const { return members_; }
  /// What a member holds. Its size and checksum are compared when its end is reached.
  std::unique_ptr<ByteSource> open(const ZipMember& member) const;

 private:
  /// Gives the bytes of the zip file from a position on.
  using OpenAt = std::function<std::unique_ptr<ByteSource>(uint64_t)>;
  /// Where the list of members is.
  struct Directory {
    uint64_t position = 0;
    uint64_t bytes = 0;
    uint64_t count = 0;
  };

  ZipReader(std::string name, uint64_t size, OpenAt open_at);
  std::string read_at(uint64_t position, uint64_t bytes) const;
  Directory find_directory() const;
  Directory find_large_directory(uint64_t end) const;
  void read_directory(const Directory& directory);
  [[noreturn, gnu::cold]] void fail_damaged(const char* what) const;

  std::string name_;
  uint64_t size_;
  OpenAt open_at_;
  std::vector<ZipMember> members_;
};

struct ZipWriterOptions {
  bool compressed = false;
};

/// Writes a zip file, whole or not at all.
///   ZipWriter zip("arrays.npz");
///   zip.add("x.npy", {head, body});
///   zip.commit();
class ZipWriter {
 public:
  explicit ZipWriter(const std::string& path, const ZipWriterOptions& options = {})
      : file_(path), options_(options) {}
  /// Adds a member that consists of these parts, one behind the other.
  void add(const std::string& name, const std::vector<std::string_view>& parts);
  void commit();

 private:
  void write(std::string_view bytes);

  AtomicFile file_;
  ZipWriterOptions options_;
  uint64_t position_ = 0;
  std::vector<ZipMember> members_;
};

}  // namespace alula::io
