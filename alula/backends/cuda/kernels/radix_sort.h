#pragma once
#include <optional>

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
  void pass(const KernelCall& call, int shift, void* counts, void* begins);

  Rows rows_;
  int64_t tiles_;
  int current_ = 0;
  Scratch keys_[2], positions_[2];
};

/// The keys of all rows, and the positions that go along with them: first where they are, then room
/// of the same size.
struct SortRooms {
  void* keys[2];
  void* positions[2];
};

/// A library that sorts long rows faster, if the plugin has one: it sorts by the lowest bits and
/// says in which room the result is, or returns nothing if such rows are not for it.
using LibrarySort = std::optional<int> (*)(const KernelCall& call, const RadixSort::Rows& rows,
                                           const SortRooms& rooms, int bits);
void set_library_sort(LibrarySort sort);

}  // namespace alula::cuda
