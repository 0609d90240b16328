#pragma once
#include <string>
#include <string_view>

#include "alula/core/tensor.h"

namespace alula::io {

/// A file in the IDX format, plain or compressed by gzip, as a tensor: uint8, int8, int16, int32,
/// float32 or float64, of any rank. A damaged file throws DataLossError that names it.
///   read_idx("train-images-idx3-ubyte.gz")  ->  uint8[60000,28,28]
Tensor read_idx(const std::string& path);

/// The same of a file's bytes; messages call it `name`.
Tensor parse_idx(std::string_view bytes, const std::string& name);

}  // namespace alula::io
