#include "alula/backends/cuda/kernels/add_parts.h"

#include <algorithm>
#include <bit>

namespace alula::cuda {

void add_parts(const KernelCall& call, const Parts& parts) {
  // Threads that share the parts of an element: a few loads are left for each.
  const auto rows = std::bit_ceil(static_cast<uint64_t>(parts.count + 7) / 8);
  const Grid grid{.blocks = {static_cast<unsigned>((parts.size + 31) / 32), 1, 1},
                  .threads = {32, static_cast<unsigned>(std::clamp<uint64_t>(rows, 4, 32)), 1}};
  launch(call,
         {"add_parts", fmt::format("add_parts<{}, {}>", type_name(parts.dtype),
                                   type_name(parts.first->dtype()))},
         grid, parts.parts, static_cast<int>(parts.count), static_cast<long long>(parts.size),
         parts.first->data, static_cast<long long>(parts.first->size()),
         parts.second == nullptr ? nullptr : parts.second->data);
}

}  // namespace alula::cuda
