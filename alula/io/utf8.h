#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace alula::io {

/// Whether the bytes are valid UTF-8: no form longer than needed, no surrogates, nothing above
/// U+10FFFF.
bool is_utf8(std::string_view bytes);

/// Appends a character, which must be a valid code point.
void append_utf8(std::string& text, uint32_t code_point);

}  // namespace alula::io
