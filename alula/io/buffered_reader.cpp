#include "alula/io/buffered_reader.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "alula/core/error.h"

namespace alula::io {

BufferedReader::BufferedReader(std::unique_ptr<ByteSource> source, size_t capacity)
    : source_(std::move(source)),
      // No more than a small source needs, and a byte to see its end.
      capacity_(std::max<size_t>(std::min<uint64_t>(capacity, source_->at_most()), 1) + 1),
      buffer_(std::make_unique_for_overwrite<char[]>(capacity_)) {}

void BufferedReader::make_room(size_t bytes) {
  const size_t kept = end_ - begin_;
  if (bytes > capacity_) {
    auto larger = std::make_unique_for_overwrite<char[]>(bytes);
    std::memcpy(larger.get(), buffer_.get() + begin_, kept);
    buffer_ = std::move(larger);
    capacity_ = bytes;
  } else if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, kept);
  }
  begin_ = 0;
  end_ = kept;
}

bool BufferedReader::extend() {
  make_room(end_ - begin_ == capacity_ ? 2 * capacity_ : capacity_);
  const size_t count = source_->read(buffer_.get() + end_, capacity_ - end_);
  end_ += count;
  return count > 0;
}

bool BufferedReader::extend_to(size_t bytes) {
  while (end_ - begin_ < bytes) {
    if (bytes > at_most()) return false;
    // In steps that double, because a compressed source may claim far more than it has.
    if (bytes > capacity_) make_room(std::min(bytes, 2 * capacity_));
    if (!extend()) return false;
  }
  return true;
}

uint64_t BufferedReader::at_most() const {
  uint64_t total = 0;
  return __builtin_add_overflow(source_->at_most(), end_ - begin_, &total)
             ? std::numeric_limits<uint64_t>::max()
             : total;
}

void BufferedReader::seek(uint64_t position) {
  const uint64_t from = position_;
  require(position >= from, "{}: cannot go back to byte {} from byte {}. Open the file anew.",
          name(), position, from);
  const uint64_t skipped = skip(position - from);
  require<DataLossError>(skipped == position - from,
                         "{}: cannot go to byte {}: the file ends at byte {}.", name(), position,
                         from + skipped);
}

uint64_t BufferedReader::skip(uint64_t bytes) {
  const uint64_t near = std::min<uint64_t>(bytes, end_ - begin_);
  consume(near);
  const uint64_t far = bytes > near ? source_->skip(bytes - near) : 0;
  position_ += far;
  return near + far;
}

}  // namespace alula::io
