#pragma once
#include <cstdint>

#include "alula/core/dtype.h"
#include "alula/core/random.h"

/// The CPU's random numbers, compiled for several instruction sets.
namespace alula::cpu {

/// What the words of a stream are made into.
struct RandomJob {
  enum class Kind : uint8_t { kUniform, kUniformInteger, kNormal, kTruncatedNormal, kBernoulli };
  Kind kind;
  DType dtype;
  random::Stream stream;
  double scale = 1, shift = 0;  // of floating numbers
  int64_t low = 0;              // of integers: low + word % range
  uint64_t range = 1;
  uint64_t threshold = 0;  // of kBernoulli: ones are words below it
};

/// Elements are made this many at a time.
inline constexpr int64_t kRandomTile = 1024;

/// Writes `count` elements from the `begin`-th on, a multiple of kRandomTile, to `out`.
void generate(const RandomJob& job, int64_t begin, int64_t count, void* out);

/// Writes four words for each of the blocks [begin, begin + count) of a stream, and up to 60 more.
void generate_words(const random::Stream& stream, int64_t begin, int64_t count, uint32_t* out);

}  // namespace alula::cpu
