#pragma once
#include <cstdint>
#include <string_view>

namespace alula {

/// A number that stands for some bytes: the same on every machine, and hardly ever that of others.
/// (FNV-1a.)
constexpr uint64_t fingerprint(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

}  // namespace alula
