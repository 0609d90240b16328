#include "alula/data/dataset.h"
#include "alula/io/glob.h"

namespace alula::data {

Dataset Dataset::list_files(const std::string& pattern, const ListFilesOptions& options) {
  const std::vector<std::string> files = io::glob(pattern);
  const Dataset sorted = from_tensor_slices(Tensor(files));
  if (!options.shuffle) return sorted;
  return sorted.shuffle(static_cast<int64_t>(files.size()), {.seed = options.seed});
}

}  // namespace alula::data
