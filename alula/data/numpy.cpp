#include "alula/data/dataset.h"
#include "alula/io/npy.h"
#include "alula/io/npz.h"

namespace alula::data {

Dataset Dataset::numpy(const std::string& file) {
  if (!file.ends_with(".npz")) return from_tensor_slices(io::load_npy(file));
  std::vector<std::pair<std::string, Element>> arrays;
  for (const io::NamedTensor& array : io::load_npz(file).tensors)
    arrays.emplace_back(array.name, array.tensor);
  require(!arrays.empty(), "numpy: there is no array in '{}'.", file);
  return from_tensor_slices(Element::named(arrays));
}

}  // namespace alula::data
