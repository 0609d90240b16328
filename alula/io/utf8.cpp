#include "alula/io/utf8.h"

namespace alula::io {
namespace {

/// How many bytes the character takes that begins with this one; 0 if none does.
size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;  // a later byte, or an overlong form
  if (first < 0xE0) return 2;
  if (first < 0xF0) return 3;
  return first < 0xF5 ? 4 : 0;
}

/// Whether the second byte is allowed behind the first: not overlong, no surrogate, not too large.
bool second_fits(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xE0: return second >= 0xA0;
    case 0xED: return second < 0xA0;
    case 0xF0: return second >= 0x90;
    case 0xF4: return second < 0x90;
    default: return true;
  }
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const size_t length = length_of(first);
    if (length == 0 || length > bytes.size() - at) return false;
    for (size_t i = 1; i < length; ++i)
      if ((static_cast<unsigned char>(bytes[at + i]) & 0xC0) != 0x80) return false;
    if (length > 1 && !second_fits(first, static_cast<unsigned char>(bytes[at + 1]))) return false;
    at += length;
  }
  return true;
}

void append_utf8(std::string& text, uint32_t code_point) {
  const auto later = [&](int shift) {
    text += static_cast<char>(0x80 | ((code_point >> shift) & 0x3F));
  };
  if (code_point < 0x80) {
    text += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    text += static_cast<char>(0xC0 | (code_point >> 6));
    later(0);
  } else if (code_point < 0x10000) {
    text += static_cast<char>(0xE0 | (code_point >> 12));
    later(6);
    later(0);
  } else {
    text += static_cast<char>(0xF0 | (code_point >> 18));
    later(12);
    later(6);
    later(0);
  }
}

}  // namespace alula::io
