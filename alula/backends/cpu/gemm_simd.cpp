// Matrix products of floats and doubles.
//
// The work is done by micro-kernels that keep a small block of c in registers: kRows rows by two
// vectors. Small products read a and b where they are. Large ones first copy a and b, piece by
// piece, into the order in which the micro-kernel reads them ("packing"), in blocks that fit the
// caches.
#include <algorithm>
#include <type_traits>
#include <unistd.h>

#include "alula/backends/cpu/gemm.h"
#include "alula/backends/cpu/targets.h"
#include "alula/core/memory.h"
#include "alula/runtime/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "alula/backends/cpu/gemm_simd.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "alula/backends/cpu/gemm_narrow-inl.h"
#include "alula/backends/cpu/gemm_pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// How many steps ahead b is fetched from the second-level cache: Intel's prefetcher does not keep
/// up.
constexpr int64_t kAhead = 12;

/// What a micro-kernel works on: `k` steps, a from `a` (rows `a_row` apart, steps `a_step` apart),
/// b from `b` (steps `b_step` apart), c at `c` with rows `c_row` apart. The last vector has `last`
/// lanes.
template <class T>
struct Block {
  int64_t k;
  const T* a;
  int64_t a_row, a_step;
  const T* b;
  int64_t b_step;
  T* c;
  int64_t c_row;
  int64_t last;
  bool accumulate;  // add to what c holds
};

template <class T>
using MicroKernel = void (*)(const Block<T>& block);

template <class T, int kR, int kV, bool kPacked, bool kMasked>
void micro_kernel(const Block<T>& block) {
  const Tag<T> d;
  using V = hn::Vec<Tag<T>>;
  const auto mask = hn::FirstN(d, static_cast<size_t>(block.last));
  const auto load = [&](const T* from, int v) HWY_ATTR {
    if (kMasked && v == kV - 1) return hn::MaskedLoad(mask, d, from + v * kLanes<T>);
    return hn::LoadU(d, from + v * kLanes<T>);
  };

  V sums[kR][kV];
#pragma GCC unroll 16
  for (int i = 0; i < kR; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < kV; ++v) sums[i][v] = hn::Zero(d);

  // The block of c is on its way while the sums are made.
  if (kPacked)
    for (int i = 0; i < kR; ++i)
      for (int v = 0; v < kV; ++v) hwy::Prefetch(block.c + i * block.c_row + v * kLanes<T>);

  const T* a = block.a;
  const T* b = block.b;
  const int64_t a_row = kPacked ? 1 : block.a_row, a_step = kPacked ? kRows : block.a_step;
  const int64_t b_step = kPacked ? kColumns<T> : block.b_step;
  for (int64_t step = 0; step < block.k; ++step, a += a_step, b += b_step) {
    V columns[kV];
#pragma GCC unroll 2
    for (int v = 0; v < kV; ++v) {
      columns[v] = kPacked ? hn::Load(d, b + v * kLanes<T>) : load(b, v);
      if (kPacked) hwy::Prefetch(b + kAhead * b_step + v * kLanes<T>);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kR; ++i) {
      const V element = hn::Set(d, a[i * a_row]);
#pragma GCC unroll 2
      for (int v = 0; v < kV; ++v) sums[i][v] = hn::MulAdd(element, columns[v], sums[i][v]);
    }
  }

#pragma GCC unroll 16
  for (int i = 0; i < kR; ++i) {
    T* c = block.c + i * block.c_row;
#pragma GCC unroll 2
    for (int v = 0; v < kV; ++v) {
      V sum = sums[i][v];
      if (block.accumulate) sum = hn::Add(sum, load(c, v));
      if (kMasked && v == kV - 1)
        hn::BlendedStore(sum, mask, d, c + v * kLanes<T>);
      else
        hn::StoreU(sum, d, c + v * kLanes<T>);
    }
  }
}

/// The numbers of rows that there are micro-kernels for; other numbers are put together from them.
constexpr int kRowCounts[] = {12, 8, 6, 4, 3, 2, 1};

template <class T, bool kPacked, int kR>
MicroKernel<T> pick(int vectors, bool masked) {
  if (vectors == 1)
    return masked ? micro_kernel<T, kR, 1, kPacked, true> : micro_kernel<T, kR, 1, kPacked, false>;
  return masked ? micro_kernel<T, kR, 2, kPacked, true> : micro_kernel<T, kR, 2, kPacked, false>;
}

template <class T, bool kPacked>
MicroKernel<T> pick(int rows, int vectors, bool masked) {
  switch (rows) {
    case 12: return pick<T, kPacked, std::min(12, kRows)>(vectors, masked);
    case 8: return pick<T, kPacked, std::min(8, kRows)>(vectors, masked);
    case 6: return pick<T, kPacked, std::min(6, kRows)>(vectors, masked);
    case 4: return pick<T, kPacked, 4>(vectors, masked);
    case 3: return pick<T, kPacked, 3>(vectors, masked);
    case 2: return pick<T, kPacked, 2>(vectors, masked);
    default: return pick<T, kPacked, 1>(vectors, masked);
  }
}

/// One strip of c, `columns` wide (at most kColumns), `m` rows high: if a is packed, those of one
/// panel.
template <class T, bool kPacked>
void strip(int64_t m, int64_t columns, Block<T> block) {
  const int vectors = columns > kLanes<T> ? 2 : 1;
  block.last = columns - (vectors - 1) * kLanes<T>;
  const bool masked = block.last != kLanes<T>;
  for (int rows : kRowCounts) {
    if (rows > kRows) continue;
    if (m < rows) continue;
    const MicroKernel<T> kernel = pick<T, kPacked>(rows, vectors, masked);
    for (; m >= rows; m -= rows) {
      kernel(block);
      block.a += rows * (kPacked ? 1 : block.a_row);
      block.c += rows * block.c_row;
    }
  }
}

/// Small or thin products: a and b are read where they are. The columns of b must be adjacent.
template <class T>
void multiply_in_place(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c, int64_t row,
                       const Epilogue* epilogue) {
  const auto part = [&](int64_t m0, int64_t m1, int64_t n0, int64_t n1) HWY_ATTR {
    for (int64_t j = n0; j < n1; j += kColumns<T>)
      strip<T, false>(m1 - m0, std::min(kColumns<T>, n1 - j),
                      {.k = k,
                       .a = a.data + m0 * a.row,
                       .a_row = a.row,
                       .a_step = a.column,
                       .b = b.data + j,
                       .b_step = b.row,
                       .c = c + m0 * row + j,
                       .c_row = row,
                       .last = 0,
                       .accumulate = false});
    if (epilogue != nullptr) epilogue->finish({m0, m1 - m0, n0, n1 - n0});
  };
  // About 30 multiplications a nanosecond.
  const double nanoseconds =
      static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) * sizeof(T) / 120;
  if (nanoseconds < team::kWorthSharing) return part(0, m, 0, n);
  const int64_t strips = (n + kColumns<T> - 1) / kColumns<T>;
  const int64_t panels = (m + kRows - 1) / kRows;
  if (strips >= panels)
    team::parallel_for(strips, nanoseconds / static_cast<double>(strips),
                       [&](int64_t begin, int64_t end) HWY_ATTR {
                         part(0, m, begin * kColumns<T>, std::min(n, end * kColumns<T>));
                       });
  else
    team::parallel_for(panels, nanoseconds / static_cast<double>(panels),
                       [&](int64_t begin, int64_t end)
                           HWY_ATTR { part(begin * kRows, std::min(m, end * kRows), 0, n); });
}

/// Blocks for the caches: `panels` panels of a, `depth` steps deep, stay in the second level,
/// kWidth columns of b in a share of the third.
struct Blocking {
  int64_t depth, panels;
};

/// A strip of b 256 steps deep fits a first-level cache of 48 KiB (Intel's). It does not fit one of
/// 32, and then deeper blocks are better, because they pass over c less often.
Blocking blocking() {
  static const bool large = sysconf(_SC_LEVEL1_DCACHE_SIZE) >= 48 << 10;
  return large ? Blocking{256, 16} : Blocking{1024, 8};
}

constexpr int64_t kWidth = 2048;

/// With few rows: each thread takes some strips of b, packs them and all of a, and shares nothing.
template <class T>
void multiply_strips(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c, int64_t row) {
  constexpr int64_t kStrip = kColumns<T>;
  const int64_t strips = (n + kStrip - 1) / kStrip;
  const int64_t depth = std::min(blocking().depth, k);
  const double nanoseconds =
      static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) * sizeof(T) / 120;
  const int64_t shares =
      nanoseconds < team::kWorthSharing ? 1 : std::min<int64_t>(team::size(), strips);
  team::parallel_for(
      shares, nanoseconds / static_cast<double>(shares), [&](int64_t begin, int64_t end) HWY_ATTR {
        const int64_t first = strips * begin / shares, last = strips * end / shares;
        const int64_t group = std::min(last - first, kWidth / kStrip);
        const Packed<T> packed_a((m + kRows - 1) / kRows * kRows * depth);
        const Packed<T> packed_b(group * kStrip * depth);
        for (int64_t j = first; j < last; j += group) {
          const int64_t column = j * kStrip,
                        columns = std::min(group * kStrip, std::min(n, last * kStrip) - column);
          for (int64_t p = 0; p < k; p += depth) {
            const int64_t steps = std::min(depth, k - p);
            pack_a<T>(m, steps, {a.data + p * a.column, a.row, a.column}, packed_a.data());
            pack_b<T>(0, steps, steps, columns,
                      {b.data + p * b.row + column * b.column, b.row, b.column}, packed_b.data());
            for (int64_t r = 0; r < m; r += kRows)
              for (int64_t s = 0; s * kStrip < columns; ++s)
                strip<T, true>(std::min<int64_t>(kRows, m - r),
                               std::min(kStrip, columns - s * kStrip),
                               {.k = steps,
                                .a = packed_a.data() + r * steps,
                                .a_row = 1,
                                .a_step = kRows,
                                .b = packed_b.data() + s * kStrip * steps,
                                .b_step = kStrip,
                                .c = c + r * row + column + s * kStrip,
                                .c_row = row,
                                .last = 0,
                                .accumulate = p > 0});
          }
        }
      });
}

template <class T>
void multiply_packed(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c, int64_t row,
                     const Epilogue* epilogue) {
  constexpr int64_t kStrip = kColumns<T>;
  const int64_t width = std::min(kWidth, (n + kStrip - 1) / kStrip * kStrip);
  const auto [most_depth, most_panels] = blocking();
  const int64_t depth = std::min(most_depth, k);
  // Blocks of rows as equal as can be, the same number of them for every thread.
  const int64_t panels = (m + kRows - 1) / kRows;
  const int64_t threads = team::size();
  const int64_t least =
      std::max<int64_t>((panels + most_panels - 1) / most_panels, std::min(panels, threads));
  const int64_t blocks = (least + threads - 1) / threads * threads;
  const auto first_row = [&](int64_t block) {
    return std::min(m, panels * block / blocks * kRows);
  };
  const Packed<T> packed_b(width * depth);
  for (int64_t j = 0; j < n; j += width) {
    const int64_t columns = std::min(width, n - j);
    const int64_t strips = (columns + kStrip - 1) / kStrip;
    for (int64_t p = 0; p < k; p += depth) {
      const int64_t steps = std::min(depth, k - p);
      pack_b_together<T>(steps, columns, {b.data + p * b.row + j * b.column, b.row, b.column},
                         packed_b.data());
      const double work = static_cast<double>(m * columns * steps / blocks) * sizeof(T) / 120;
      team::parallel_for(blocks, work, [&](int64_t begin, int64_t end) HWY_ATTR {
        const Packed<T> packed_a((panels / blocks + 1) * kRows * steps);
        for (int64_t block = begin; block < end; ++block) {
          const int64_t i = first_row(block), rows = first_row(block + 1) - i;
          pack_a<T>(rows, steps, {a.data + i * a.row + p * a.column, a.row, a.column},
                    packed_a.data());
          // A panel of a stays in the first-level cache while the strips of b pass by.
          for (int64_t r = 0; r < rows; r += kRows) {
            for (int64_t s = 0; s < strips; ++s)
              strip<T, true>(std::min<int64_t>(kRows, rows - r),
                             std::min(kStrip, columns - s * kStrip),
                             {.k = steps,
                              .a = packed_a.data() + r * steps,
                              .a_row = 1,
                              .a_step = kRows,
                              .b = packed_b.data() + s * kStrip * steps,
                              .b_step = kStrip,
                              .c = c + (i + r) * row + j + s * kStrip,
                              .c_row = row,
                              .last = 0,
                              .accumulate = p > 0});
            if (epilogue != nullptr && p + steps == k)
              epilogue->finish({i + r, std::min<int64_t>(kRows, rows - r), j, columns});
          }
        }
      });
    }
  }
}

/// c[i] = a[i, :] b for one column b: each row of a is read once.
template <class T>
void multiply_vector(int64_t m, int64_t k, Matrix<T> a, Matrix<T> b, T* c, int64_t row,
                     const Epilogue* epilogue) {
  Packed<T> vector(k);
  for (int64_t i = 0; i < k; ++i) vector.data()[i] = b.data[i * b.row];
  team::parallel_for(
      m, static_cast<double>(k) * sizeof(T) / 20, [&](int64_t begin, int64_t end) HWY_ATTR {
        const Tag<T> d;
        for (int64_t i = begin; i < end; ++i) {
          const T* from = a.data + i * a.row;
          auto sum0 = hn::Zero(d), sum1 = hn::Zero(d);
          int64_t step = 0;
          for (; step + kColumns<T> <= k; step += kColumns<T>) {
            sum0 = hn::MulAdd(hn::LoadU(d, from + step), hn::LoadU(d, vector.data() + step), sum0);
            sum1 = hn::MulAdd(hn::LoadU(d, from + step + kLanes<T>),
                              hn::LoadU(d, vector.data() + step + kLanes<T>), sum1);
          }
          T sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
          for (; step < k; ++step) sum += from[step] * vector.data()[step];
          c[i * row] = sum;
        }
        if (epilogue != nullptr) epilogue->finish({begin, end - begin, 0, 1});
      });
}

template <class T>
void multiply(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c, int64_t row,
              const Epilogue* epilogue) {
  if (n == 1 && a.column == 1 && m > 1) return multiply_vector<T>(m, k, a, b, c, row, epilogue);
  const bool long_rows = b.column == 1 && Fold<T>(n).pays();
  if (long_rows && b.row == n && a.column == 1 && k >= 8 * kLanes<T>)
    return multiply_narrow_rows<T>(m, n, k, a, b.data, c, row, epilogue);
  if (long_rows && a.row == 1 && row == n && m >= 16 * kLanes<T>)
    return multiply_narrow_columns<T>(m, n, k, a, b, c, epilogue);
  // Packing b pays once enough rows use it; a small b stays in the cache as it is, and one that is
  // a single strip is in order already.
  const int64_t bytes = k * n * static_cast<int64_t>(sizeof(T));
  const bool small = bytes <= 64 << 10 || (n <= kColumns<T> && bytes <= 512 << 10);
  if (b.column == 1 && (small || m <= 2 * kRows))
    return multiply_in_place<T>(m, n, k, a, b, c, row, epilogue);
  // Rows that make too few blocks for all threads.
  if (m <= 4 * kRows * team::size() && n >= kColumns<T> * team::size()) {
    multiply_strips<T>(m, n, k, a, b, c, row);
    if (epilogue != nullptr) epilogue->finish({0, m, 0, n});
    return;
  }
  multiply_packed<T>(m, n, k, a, b, c, row, epilogue);
}

void GemmFloat(int64_t m, int64_t n, int64_t k, Matrix<float> a, Matrix<float> b, float* c,
               int64_t row, const Epilogue* epilogue) {
  multiply<float>(m, n, k, a, b, c, row, epilogue);
}
void GemmDouble(int64_t m, int64_t n, int64_t k, Matrix<double> a, Matrix<double> b, double* c,
                int64_t row, const Epilogue* epilogue) {
  multiply<double>(m, n, k, a, b, c, row, epilogue);
}

/// Integers: row by row of c, each step adding a multiple of a row of b.
template <class T>
void multiply_integers(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c,
                       int64_t row) {
  using U = std::conditional_t<sizeof(T) == 2, uint32_t, std::make_unsigned_t<T>>;
  Packed<T> copied(b.column == 1 ? 1 : k * n);
  if (b.column != 1) {
    for (int64_t j = 0; j < n; ++j)
      for (int64_t p = 0; p < k; ++p) copied.data()[p * n + j] = b.data[p * b.row + j * b.column];
    b = {copied.data(), n, 1};
  }
  team::parallel_for(
      m, static_cast<double>(n) * static_cast<double>(k) * 0.2,
      [&](int64_t begin, int64_t end) HWY_ATTR {
        for (int64_t i = begin; i < end; ++i) {
          T* out = c + i * row;
          std::fill_n(out, n, T{0});
          for (int64_t p = 0; p < k; ++p) {
            const U factor = static_cast<U>(a.data[i * a.row + p * a.column]);
            const T* from = b.data + p * b.row;
            for (int64_t j = 0; j < n; ++j)
              out[j] = static_cast<T>(static_cast<U>(out[j]) + factor * static_cast<U>(from[j]));
          }
        }
      });
}

void GemmInt8(int64_t m, int64_t n, int64_t k, Matrix<uint8_t> a, Matrix<uint8_t> b, uint8_t* c,
              int64_t row) {
  multiply_integers(m, n, k, a, b, c, row);
}
void GemmInt16(int64_t m, int64_t n, int64_t k, Matrix<uint16_t> a, Matrix<uint16_t> b, uint16_t* c,
               int64_t row) {
  multiply_integers(m, n, k, a, b, c, row);
}
void GemmInt32(int64_t m, int64_t n, int64_t k, Matrix<uint32_t> a, Matrix<uint32_t> b, uint32_t* c,
               int64_t row) {
  multiply_integers(m, n, k, a, b, c, row);
}
void GemmInt64(int64_t m, int64_t n, int64_t k, Matrix<uint64_t> a, Matrix<uint64_t> b, uint64_t* c,
               int64_t row) {
  multiply_integers(m, n, k, a, b, c, row);
}

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alula::cpu {

HWY_EXPORT(GemmFloat);
HWY_EXPORT(GemmDouble);
HWY_EXPORT(GemmInt8);
HWY_EXPORT(GemmInt16);
HWY_EXPORT(GemmInt32);
HWY_EXPORT(GemmInt64);

template <class T>
void gemm(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c, int64_t row,
          const Epilogue* epilogue) {
  if constexpr (std::is_same_v<T, float>)
    return HWY_DYNAMIC_DISPATCH(GemmFloat)(m, n, k, a, b, c, row, epilogue);
  else if constexpr (std::is_same_v<T, double>)
    return HWY_DYNAMIC_DISPATCH(GemmDouble)(m, n, k, a, b, c, row, epilogue);
  else if constexpr (sizeof(T) == 1)
    HWY_DYNAMIC_DISPATCH(GemmInt8)(m, n, k, a, b, c, row);
  else if constexpr (sizeof(T) == 2)
    HWY_DYNAMIC_DISPATCH(GemmInt16)(m, n, k, a, b, c, row);
  else if constexpr (sizeof(T) == 4)
    HWY_DYNAMIC_DISPATCH(GemmInt32)(m, n, k, a, b, c, row);
  else
    HWY_DYNAMIC_DISPATCH(GemmInt64)(m, n, k, a, b, c, row);
  if (epilogue != nullptr) epilogue->finish({0, m, 0, n});
}

// Sums and products that wrap around are the same bits, signed or not.
template void gemm(int64_t, int64_t, int64_t, Matrix<float>, Matrix<float>, float*, int64_t,
                   const Epilogue*);
template void gemm(int64_t, int64_t, int64_t, Matrix<double>, Matrix<double>, double*, int64_t,
                   const Epilogue*);
template void gemm(int64_t, int64_t, int64_t, Matrix<uint8_t>, Matrix<uint8_t>, uint8_t*, int64_t,
                   const Epilogue*);
template void gemm(int64_t, int64_t, int64_t, Matrix<uint16_t>, Matrix<uint16_t>, uint16_t*,
                   int64_t, const Epilogue*);
template void gemm(int64_t, int64_t, int64_t, Matrix<uint32_t>, Matrix<uint32_t>, uint32_t*,
                   int64_t, const Epilogue*);
template void gemm(int64_t, int64_t, int64_t, Matrix<uint64_t>, Matrix<uint64_t>, uint64_t*,
                   int64_t, const Epilogue*);

}  // namespace alula::cpu
#endif
