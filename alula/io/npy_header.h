#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "alula/core/spec.h"
#include "alula/io/file.h"

namespace alula::io {

/// What the header of a .npy file says of the elements.
struct NpyHeader {
  enum class Elements { kNumbers, kBytes, kUnicode };
  Spec spec;
  Elements elements = Elements::kNumbers;
  uint64_t element_bytes = 0;  // in the file
  bool big_endian = false;
  bool fortran_order = false;
};

/// Reads the header, after which the elements follow.
NpyHeader read_npy_header(ByteSource& source);

/// The header of version 1.0 as NumPy writes it; `descr` is its word for the dtype.
std::string npy_header(std::string_view descr, const Shape& shape);

}  // namespace alula::io
