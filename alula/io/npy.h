#pragma once
#include <string>
#include <string_view>

#include "alula/core/tensor.h"
#include "alula/io/file.h"

namespace alula::io {

/// An array in NumPy's .npy format (versions 1 to 3), of either byte order, in C's or Fortran's
/// order: bool, integers, float16 to float64, and strings, which are bytes ('S') or UTF-8 of
/// NumPy's Unicode ('U'). A damaged file throws DataLossError that names it; what there is no dtype
/// for (complex numbers, records, Python objects) UnimplementedError.
///   load_npy("weights.npy")  ->  float32[784,10]
Tensor load_npy(const std::string& path);
/// The same of a file's bytes; messages call it `name`.
Tensor parse_npy(std::string_view bytes, const std::string& name);
/// The same of a source, to its end.
Tensor read_npy(ByteSource& source);

/// Writes such a file, whole or not at all, byte for byte as NumPy does. The tensor may be on any
/// device. Strings become bytes ('S') of one length. NumPy has no bfloat16: cast it first.
///   save_npy("weights.npy", weights)
void save_npy(const std::string& path, const Tensor& tensor);

/// What a file of a tensor consists of.
struct NpyParts {
  std::string head;
  Tensor tensor;        // on the host
  std::string strings;  // the elements of a tensor of strings
  std::string_view body() const {
    if (tensor.dtype() == string) return strings;
    return {static_cast<const char*>(tensor.data()), static_cast<size_t>(tensor.bytes())};
  }
};
NpyParts npy_parts(const Tensor& tensor);

}  // namespace alula::io
