#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "alula/core/error.h"

/// libFuzzer's entry: called with bytes of any kind.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace alula::fuzz {

/// Parses the bytes, which may be refused with an error of ours, and nothing else: any other
/// exception ends the program, and so does what the sanitizers see.
///   extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
///     return alula::fuzz::parse(data, size, [](std::string_view bytes) { Json::parse(bytes, "x");
///     });
///   }
template <class Fn>
int parse(const uint8_t* data, size_t size, Fn fn) {
  try {
    fn(std::string_view(reinterpret_cast<const char*>(data), size));
    return 0;
  } catch (const Error&) {
    return 0;
  }
}

/// What must hold of anything that was parsed.
inline void check(bool condition) {
  if (!condition) __builtin_trap();
}

}  // namespace alula::fuzz
