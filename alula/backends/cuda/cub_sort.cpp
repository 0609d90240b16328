#include "alula/backends/cuda/cub_sort.h"

#include <algorithm>

#include "alula/backends/cuda/chain.h"
#include "alula/backends/cuda/gpu.h"
#include "alula/backends/cuda/kernels/radix_sort.h"

namespace alula::cuda {
namespace {

/// CUB sorts one row after the other, some seven launches each, where our own kernels take all rows
/// at once: several rows must be long to be worth it. A row of few keys is left to kernels that can
/// be links of a chain.
constexpr int64_t kManyKeys = 1 << 15, kManyKeysOfSeveralRows = 1 << 20;

bool is_worth_it(const RadixSort::Rows& rows) {
  return current_card().architecture() >= ALULA_CUB_OLDEST_ARCHITECTURE &&
         rows.length >= (rows.rows == 1 ? kManyKeys : kManyKeysOfSeveralRows) &&
         rows.length <= UINT32_MAX;
}

std::optional<int> run(const KernelCall& call, const RadixSort::Rows& rows, const SortRooms& rooms,
                       int bits) {
  if (!is_worth_it(rows)) return {};
  const auto row_at = [&](int64_t index) {
    const int64_t first = index * rows.length;
    CubRow row{{}, {}, static_cast<uint32_t>(rows.length), rows.wide, bits};
    for (int i = 0; i < 2; ++i) {
      row.keys[i] = static_cast<std::byte*>(rooms.keys[i]) + first * (rows.wide ? 8 : 4);
      if (rows.pairs) row.positions[i] = static_cast<uint32_t*>(rooms.positions[i]) + first;
    }
    return row;
  };
  auto* stream = static_cast<cudaStream_t>(call.queue);
  if (Chain* chain = Chain::current(current_gpu())) chain->finish(stream);
  size_t bytes = 0;
  check(cub_sort_bytes(row_at(0), bytes), "cub::DeviceRadixSort");
  // Never of no bytes: without memory CUB would only say what it needs.
  const Scratch memory(std::max<size_t>(bytes, 1));
  int sorted = 0;
  for (int64_t i = 0; i < rows.rows; ++i)
    check(cub_sort(row_at(i), memory.data(), bytes, stream, sorted), "cub::DeviceRadixSort");
  return sorted;
}

const bool library_set = (set_library_sort(&run), true);

}  // namespace
}  // namespace alula::cuda
