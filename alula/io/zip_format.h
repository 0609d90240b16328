#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

/// The numbers in a zip file: what its reader and its writer share.
namespace alula::io::zip {

static_assert(std::endian::native == std::endian::little);

// What the parts of a file begin with.
inline constexpr uint32_t kLocalHeader = 0x04034b50, kDirectoryEntry = 0x02014b50,
                          kEnd = 0x06054b50, kLargeEnd = 0x06064b50, kLargeLocator = 0x07064b50;
// How long they are, names and extra fields apart.
inline constexpr size_t kLocalHeaderBytes = 30, kDirectoryEntryBytes = 46, kEndBytes = 22,
                        kLargeEndBytes = 56, kLargeLocatorBytes = 20;
inline constexpr uint16_t kStored = 0, kDeflated = 8;
inline constexpr uint16_t kEncrypted = 1;
/// The extra field with sizes of 64 bits, and what stands in place of a size that is in it.
inline constexpr uint16_t kLargeExtra = 1;
inline constexpr uint32_t kIsLarge = 0xffffffff;
inline constexpr uint16_t kIsMany = 0xffff;

template <class T>
T number_at(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

template <class T>
void append(std::string& bytes, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  bytes.append(raw, sizeof(T));
}

}  // namespace alula::io::zip
