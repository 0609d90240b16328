#pragma once
#include <cstdint>
#include <memory>
#include <string_view>

#include "alula/io/file.h"

namespace alula::io {

/// A window that moves over a source: what has been read and not yet been consumed lies in one
/// piece.
class BufferedReader {
 public:
  static constexpr size_t kBufferBytes = size_t{256} << 10;
  explicit BufferedReader(std::unique_ptr<ByteSource> source, size_t capacity = kBufferBytes);

  const std::string& name() const { return source_->name(); }
  /// What lies there; valid until `extend`.
  std::string_view window() const { return {buffer_.get() + begin_, end_ - begin_}; }
  /// Reads more behind the window, as much as there is room for, or makes twice the room. False if
  /// nothing is left.
  bool extend();
  /// Extends the window to so many bytes; false if the source ends before. Sizes that a file claims
  /// take no memory unless the source can hold them.
  bool extend_to(size_t bytes);
  /// Moves the beginning of the window, within it.
  void consume(size_t bytes) {
    begin_ += bytes;
    position_ += bytes;
  }
  /// Where the window begins, counted from the source's beginning.
  uint64_t position() const { return position_; }
  /// How many bytes can still come, at most, the window's included.
  uint64_t at_most() const;
  /// Skips so many bytes of the source, or to its end: how many.
  uint64_t skip(uint64_t bytes);
  /// Moves forward to a position, which must not lie behind the end.
  void seek(uint64_t position);

 private:
  /// Room behind the window for so many bytes in all.
  void make_room(size_t bytes);

  std::unique_ptr<ByteSource> source_;
  size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t position_ = 0;
};

}  // namespace alula::io
