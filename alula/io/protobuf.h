#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace alula::io {

/// A message in the encoding of Protocol Buffers, written field by field: all that event files and
/// examples need of it.
class ProtoWriter {
 public:
  const std::string& bytes() const { return bytes_; }

  ProtoWriter& integer(int field, int64_t value) {
    tag(field, 0);
    varint(static_cast<uint64_t>(value));
    return *this;
  }
  ProtoWriter& float64(int field, double value) {
    tag(field, 1);
    fixed(value);
    return *this;
  }
  ProtoWriter& float32(int field, float value) {
    tag(field, 5);
    fixed(value);
    return *this;
  }
  /// A string, bytes, or packed numbers.
  ProtoWriter& text(int field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  ProtoWriter& packed(int field, std::span<const int64_t> values) {
    ProtoWriter numbers;
    for (int64_t value : values) numbers.varint(static_cast<uint64_t>(value));
    return text(field, numbers.bytes_);
  }
  ProtoWriter& message(int field, const ProtoWriter& value) { return text(field, value.bytes_); }

 private:
  void tag(int field, int wire_type) { varint(static_cast<uint64_t>(field << 3 | wire_type)); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  template <class T>
  void fixed(T value) {
    static_assert(std::endian::native == std::endian::little);
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes_.append(raw, sizeof(T));
  }

  std::string bytes_;
};

}  // namespace alula::io
