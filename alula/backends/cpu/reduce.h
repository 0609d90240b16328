#pragma once
#include <cstdint>

#include "alula/core/dtype.h"

namespace alula::cpu {

enum class Reduction : uint8_t { kSum, kMean, kProd, kMax, kMin, kAny, kAll };

/// How elements of one dtype are reduced. Results build up in accumulators, which may be wider than
/// the elements; the functions take arrays of them. The best instruction set is picked by
/// `find_reducer`.
struct Reducer {
  int64_t element;      // bytes
  int64_t accumulator;  // bytes
  /// Makes `n` accumulators those of no elements.
  void (*start)(void* accumulators, int64_t n);
  /// Adds to accumulator i the `n` elements of row i; rows follow each other in steps of `stride`.
  void (*rows)(const void* x, int64_t rows, int64_t stride, int64_t n, void* accumulators);
  /// Adds to accumulator j the elements of column j, of `rows` rows of `n`.
  void (*columns)(const void* x, int64_t rows, int64_t stride, int64_t n, void* accumulators);
  /// Adds other accumulators to these, one by one.
  void (*combine)(const void* others, int64_t n, void* accumulators);
  /// Writes the results: each accumulator holds `count` elements.
  void (*finish)(const void* accumulators, int64_t n, int64_t count, void* out);
};

const Reducer& find_reducer(Reduction reduction, DType dtype);

/// Accumulators at a time: they fit the first-level cache beside what is read.
inline constexpr int64_t kMostAccumulators = 2048;

}  // namespace alula::cpu
