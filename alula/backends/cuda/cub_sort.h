#pragma once
#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

/// CUB's radix sort behind a plain function: its templates are compiled by nvcc, which is given
/// nothing else of Alula to read.
namespace alula::cuda {

/// A row of unsigned keys, and room of the same size to move them to and fro.
struct CubRow {
  void* keys[2];
  uint32_t* positions[2];  // null: the keys alone
  uint32_t length;
  bool wide;  // keys have 64 bits
  int bits;   // the lowest ones, by which they are sorted
};

/// Bytes of memory that sorting a row takes beside its two rooms.
cudaError_t cub_sort_bytes(const CubRow& row, size_t& bytes);

/// Puts a sort on the stream; equal keys keep their order. It lets the host wait for nothing and
/// takes no memory, so it can be captured. `sorted` says which room they end up in: the same for
/// all rows of a length.
cudaError_t cub_sort(const CubRow& row, void* memory, size_t bytes, cudaStream_t stream,
                     int& sorted);

}  // namespace alula::cuda
