#pragma once
#include <cstdint>
#include <string_view>

namespace alula::io {

/// The CRC-32C (Castagnoli) of some bytes, by the processor's own instruction where it has one.
///   crc32c("123456789")  ->  0xe3069283
uint32_t crc32c(std::string_view bytes);

/// The same by a table, on any processor.
uint32_t crc32c_by_table(std::string_view bytes);

/// As TFRecord files store it: rotated and shifted, so that a checksum of data that hold checksums
/// is still one.
inline uint32_t masked(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

}  // namespace alula::io
