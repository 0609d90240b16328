#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "alula/io/named_tensor.h"

namespace alula::io {

/// What a safetensors file holds: tensors by name, in the order of the file's header, and some
/// text.
struct SafeTensors {
  std::vector<NamedTensor> tensors;
  std::vector<std::pair<std::string, std::string>> metadata;

  /// The tensor of that name, or NotFoundError.
  const Tensor& at(std::string_view name) const;
};

/// Reads a file in the safetensors format, as Hugging Face's package writes it. Every dtype but
/// string is known. A file that is damaged or breaks the format's rules throws DataLossError that
/// names it.
///   read_safetensors("model.safetensors").at("dense/kernel")
SafeTensors read_safetensors(const std::string& path);

/// The same of a file's bytes; messages call it `name`.
SafeTensors parse_safetensors(std::string_view bytes, const std::string& name);

/// Writes such a file, whole or not at all. The tensors may be on any device.
///   write_safetensors("model.safetensors", {{{"dense/kernel", kernel}, {"dense/bias", bias}}, {}})
void write_safetensors(const std::string& path, const SafeTensors& contents);

}  // namespace alula::io
