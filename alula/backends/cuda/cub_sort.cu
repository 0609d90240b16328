#include <cub/device/device_radix_sort.cuh>

#include "alula/backends/cuda/cub_sort.h"

namespace alula::cuda {
namespace {

/// CUB's way: without memory it only says how many bytes it needs.
template <class Key>
cudaError_t sort(const CubRow& row, void* memory, size_t& bytes, cudaStream_t stream, int& sorted) {
  cub::DoubleBuffer<Key> keys(static_cast<Key*>(row.keys[0]), static_cast<Key*>(row.keys[1]));
  cub::DoubleBuffer<uint32_t> positions(row.positions[0], row.positions[1]);
  const cudaError_t code =
      row.positions[0] == nullptr
          ? cub::DeviceRadixSort::SortKeys(memory, bytes, keys, row.length, 0, row.bits, stream)
          : cub::DeviceRadixSort::SortPairs(memory, bytes, keys, positions, row.length, 0, row.bits,
                                            stream);
  sorted = keys.selector;
  return code;
}

cudaError_t sort_any(const CubRow& row, void* memory, size_t& bytes, cudaStream_t stream,
                     int& sorted) {
  return row.wide ? sort<uint64_t>(row, memory, bytes, stream, sorted)
                  : sort<uint32_t>(row, memory, bytes, stream, sorted);
}

}  // namespace

cudaError_t cub_sort_bytes(const CubRow& row, size_t& bytes) {
  int sorted = 0;
  return sort_any(row, nullptr, bytes, nullptr, sorted);
}

cudaError_t cub_sort(const CubRow& row, void* memory, size_t bytes, cudaStream_t stream,
                     int& sorted) {
  return sort_any(row, memory, bytes, stream, sorted);
}

}  // namespace alula::cuda
