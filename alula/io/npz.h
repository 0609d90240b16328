#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "alula/io/named_tensor.h"

namespace alula::io {

/// What an .npz file holds: arrays by name, in the file's order.
struct Npz {
  std::vector<NamedTensor> tensors;

  /// The tensor of that name, or NotFoundError.
  const Tensor& at(std::string_view name) const;
};

/// Reads what numpy.savez or savez_compressed wrote. Names are without ".npy", as in NumPy; what
/// else a zip file may hold is left out. A damaged file throws DataLossError that names it.
///   load_npz("mnist.npz").at("x_train")  ->  uint8[60000,28,28]
Npz load_npz(const std::string& path);
/// The same of a file's bytes; messages call it `name`.
Npz parse_npz(std::string_view bytes, const std::string& name);

struct SaveNpzOptions {
  bool compressed = false;  // as numpy.savez_compressed
};

/// Writes such a file, whole or not at all. The tensors may be on any device.
///   save_npz("data.npz", {{"x", x}, {"y", y}})
void save_npz(const std::string& path, const std::vector<NamedTensor>& tensors,
              const SaveNpzOptions& options = {});

}  // namespace alula::io
