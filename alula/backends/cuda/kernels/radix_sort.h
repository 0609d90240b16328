#pragma once
#include "alula/backends/cuda/card.h"

namespace alula::cuda {

/// Sorts rows of unsigned keys, of 32 or 64 bits, by their lowest digits of eight bits; equal keys
/// keep their order. Positions (uint32) go along with them if asked for.
///   RadixSort sort({.rows = 1, .length = n, .wide = false, .pairs = true});
///   …write sort.keys() and sort.positions()…
///   sort.run(call, 4);
///   …read them…
class RadixSort {
 public:
  struct Rows {
    int64_t rows, length;
    bool wide;   // keys have 64 bits
    bool pairs;  // with positions
  };
  explicit RadixSort(const Rows& rows);

  void* keys() const { return keys_[current_].data(); }
  void* positions() const { return positions_[current_].data(); }
  void run(const KernelCall& call, int digits);

 private:
  void pass(const KernelCall& call, int shift);

  Rows rows_;
  int64_t tiles_;
  int current_ = 0;
  Scratch keys_[2], positions_[2];
  Scratch counts_, begins_;
};

}  // namespace alula::cuda
