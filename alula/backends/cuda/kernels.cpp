#include "alula/backends/cuda/kernels.h"

#include <map>

namespace alula::cuda {
namespace {

/// Filled while the plugin loads.
std::map<const OpType*, DTypeSet>& kernels() {
  static auto* kernels = new std::map<const OpType*, DTypeSet>;
  return *kernels;
}

}  // namespace

void internal::add_kernel(const OpType& type, DTypeSet dtypes) { kernels()[&type] = dtypes; }

bool takes(const OpType& type, SpecRefs inputs) {
  const auto found = kernels().find(&type);
  if (found == kernels().end()) return false;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!found->second.contains(inputs[i].dtype)) return false;
  return true;
}

}  // namespace alula::cuda
