#pragma once
#include <cstddef>
#include <cstdint>

namespace alula::cpu {

/// Results of at least this many bytes are written past the caches, which they would only sweep.
inline constexpr int64_t kStreamBytes = 8 << 20;

/// A block's sides, in tiles; a tile is a cache line of elements wide, and as many high. Long along
/// the input's rows, so that the processor sees them coming; short across, to leave its page tables
/// alone.
inline constexpr int64_t kTilesAlong = 32, kTilesAcross = 2;

/// A matrix to be transposed, small enough for the caches: `to[a, c] = from[c, a]`. Elements that
/// differ in `a` follow one another in `from`, those that differ in `c` in `to`. Steps in bytes.
struct Block {
  const std::byte* from;
  int64_t from_step;
  std::byte* to;
  int64_t to_step;
  int64_t along, across;  // the sizes: of a, of c
  int64_t width;          // bytes an element: 1, 2, 4, 8 or 16
  bool stream;            // write past the caches where the addresses allow it
};

void transpose_block(const Block& block);

}  // namespace alula::cpu
