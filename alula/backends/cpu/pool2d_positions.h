#pragma once
#include <cstdint>

#include "alula/backends/cpu/pool2d.h"

/// Max pooling a few rows at a time, with the positions of the winners: for kernels that make what
/// is pooled row by row.
namespace alula::cpu {

/// The positions of window number `index` that lie in the image: [from, to).
struct Inside {
  int64_t from;
  int64_t to;
  int64_t count() const { return to - from; }
};
inline Inside inside(const Window& window, int64_t index) {
  const int64_t start = index * window.stride - window.before, end = start + window.size;
  return {start < 0 ? 0 : start, end < window.input ? end : window.input};
}

/// Rows [begin, end) of the windows over one image.
template <class T>
struct PoolRows {
  const Windows& windows;
  int64_t channels;
  int64_t begin, end;
  const T* input;      // of the image's row `first`
  int64_t first;       // the first that the windows need, or one before
  T* values;           // written, from row `begin` on
  uint8_t* positions;  // the same; none if they are not asked for
};
void max_pool_rows(const PoolRows<float>& rows);
void max_pool_rows(const PoolRows<double>& rows);

/// Rows [begin, end) of an image: zeros but where windows won.
template <class T>
struct ScatterRows {
  const Windows& windows;
  int64_t channels;
  int64_t begin, end;
  const T* values;  // of the image's first window
  const uint8_t* positions;
  T* output;  // written, from row `begin` on
};
void scatter_rows(const ScatterRows<float>& rows);
void scatter_rows(const ScatterRows<double>& rows);

/// Rows [begin, end) of the windows over one image.
template <class T>
struct GatherRows {
  const Windows& windows;
  int64_t channels;
  int64_t begin, end;
  const T* input;            // of the image's first row
  const uint8_t* positions;  // from row `begin` on
  T* values;                 // written, from row `begin` on
};
void gather_rows(const GatherRows<float>& rows);
void gather_rows(const GatherRows<double>& rows);

}  // namespace alula::cpu
