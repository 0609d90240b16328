#include "alula/backends/cuda/kernels.h"

#include <map>

namespace alula::cuda {
namespace {

struct Inputs {
  DTypeSet dtypes;
  Fits fits;
};

/// What they take. Filled while the plugin loads.
std::map<const OpType*, Inputs>& kernels() {
  static auto* kernels = new std::map<const OpType*, Inputs>;
  return *kernels;
}

}  // namespace

void internal::add_kernel(const OpType& type, DTypeSet dtypes, Fits fits) {
  kernels()[&type] = {dtypes, fits};
}

bool takes(const OpType& type, SpecRefs inputs) {
  const auto found = kernels().find(&type);
  if (found == kernels().end()) return false;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!found->second.dtypes.contains(inputs[i].dtype)) return false;
  return found->second.fits == nullptr || found->second.fits(inputs);
}

}  // namespace alula::cuda
