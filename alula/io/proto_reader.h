#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "alula/core/error.h"

namespace alula::io {

/// How a field of a message in the encoding of Protocol Buffers is written.
enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kText = 2, kGroup = 3, kFixed32 = 5 };

/// A message in the encoding of Protocol Buffers, read field by field where it lies: nothing is
/// copied, and the bytes must outlive what is read. A field that nobody asks about is skipped, so
/// that messages of a later version can be read. Damage throws DataLossError that says at which
/// byte.
///   ProtoReader event(bytes, "event");
///   while (event.next())
///     if (event.is(2, WireType::kVarint)) step = event.integer();
class ProtoReader {
 public:
  /// Messages of errors begin with `name`, which must outlive the reader.
  ProtoReader(std::string_view bytes, std::string_view name)
      : begin_(bytes.data()),
        at_(bytes.data()),
        end_(bytes.data() + bytes.size()),
        origin_(bytes.data()),
        name_(name) {}

  /// Goes on to the next field; false at the end.
  bool next() {
    if (at_ == end_) return false;
    begin_ = at_;
    const uint64_t tag = read_tag();
    field_ = static_cast<int>(tag >> 3);
    type_ = static_cast<WireType>(tag & 7);
    read_value();
    return true;
  }

  int field() const { return field_; }
  WireType type() const { return type_; }
  /// Whether this is that field, written that way. One of the right number and the wrong type is
  /// to be skipped, as other readers do.
  bool is(int field, WireType type) const { return field_ == field && type_ == type; }

  /// The value of a number, whose type must be the one that the name says.
  uint64_t number() const { return number_; }
  int64_t integer() const { return static_cast<int64_t>(number_); }
  float float32() const { return std::bit_cast<float>(static_cast<uint32_t>(number_)); }
  double float64() const { return std::bit_cast<double>(number_); }
  /// A string, bytes, packed numbers or a message; empty for other types.
  std::string_view text() const { return text_; }
  /// The message in this field. Its errors count bytes from the beginning of the outermost one.
  ProtoReader message() const {
    ProtoReader inside(text_, name_);
    inside.origin_ = origin_;
    return inside;
  }

  /// The numbers of a packed field, one after the other.
  template <class Fn>
  void each_varint(Fn fn) const {
    ProtoReader inside = message();
    while (inside.at_ != inside.end_) fn(inside.read_varint());
  }
  template <class T, class Fn>
  void each_fixed(Fn fn) const {
    check_packed(sizeof(T));
    for (size_t i = 0; i < text_.size(); i += sizeof(T)) {
      T value;
      std::memcpy(&value, text_.data() + i, sizeof(T));
      fn(value);
    }
  }
  /// Throws if a packed field does not hold a whole number of elements of that size.
  void check_packed(size_t element) const {
    if (text_.size() % element != 0) fail_at(begin_, "packed numbers end in the middle of one");
  }

  /// Where the field begins in the outermost message.
  size_t position() const { return static_cast<size_t>(begin_ - origin_); }
  /// The fields from this one to the end of the message.
  std::string_view from_here() const { return {begin_, static_cast<size_t>(end_ - begin_)}; }

 private:
  static_assert(std::endian::native == std::endian::little);
  static constexpr int kDeepestGroup = 100;

  [[noreturn, gnu::cold]] void fail_at(const char* where, const char* what) const {
    fail<DataLossError>("{}: the message is damaged at byte {}: {}.", name_, where - origin_, what);
  }

  uint64_t read_varint() {
    if (at_ != end_ && static_cast<signed char>(*at_) >= 0) return static_cast<uint8_t>(*at_++);
    return read_long_varint();
  }

  uint64_t read_long_varint() {
    const char* first = at_;
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (at_ == end_) fail_at(first, "it ends in the middle of a number");
      const auto byte = static_cast<uint8_t>(*at_++);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    fail_at(first, "a number has more than ten bytes");
  }

  uint64_t read_tag() {
    const uint64_t tag = read_varint();
    if (tag < 8 || tag > 0xffffffff) fail_at(begin_, "there is no field of that number");
    return tag;
  }

  void read_value() {
    text_ = {};
    number_ = 0;
    switch (type_) {
      case WireType::kVarint: number_ = read_varint(); break;
      case WireType::kFixed64: std::memcpy(&number_, take(8), 8); break;
      case WireType::kFixed32: std::memcpy(&number_, take(4), 4); break;
      case WireType::kText: {
        const uint64_t size = read_varint();
        text_ = {take(size), size};
        break;
      }
      case WireType::kGroup: skip_group(); break;
      default: fail_at(begin_, "a field has a type that there is not");
    }
  }

  const char* take(uint64_t size) {
    if (size > static_cast<uint64_t>(end_ - at_)) fail_at(begin_, "a field is longer than it");
    const char* taken = at_;
    at_ += size;
    return taken;
  }

  /// An old way to write messages, between two tags. Nobody uses it; it can be skipped.
  void skip_group() {
    int open[kDeepestGroup];
    int depth = 0;
    open[depth++] = field_;
    while (depth > 0) {
      if (at_ == end_) fail_at(begin_, "a group has no end");
      const uint64_t tag = read_tag();
      const int field = static_cast<int>(tag >> 3);
      switch (tag & 7) {
        case 0: read_varint(); break;
        case 1: take(8); break;
        case 2: take(read_varint()); break;
        case 3:
          if (depth == kDeepestGroup) fail_at(begin_, "groups are nested too deeply");
          open[depth++] = field;
          break;
        case 4:
          if (open[--depth] != field) fail_at(begin_, "a group ends that did not begin");
          break;
        case 5: take(4); break;
        default: fail_at(begin_, "a field has a type that there is not");
      }
    }
  }

  const char* begin_;  // of this field
  const char* at_;     // behind it
  const char* end_;
  const char* origin_;
  std::string_view name_;
  std::string_view text_;
  uint64_t number_ = 0;
  int field_ = 0;
  WireType type_ = WireType::kVarint;
};

}  // namespace alula::io
