// Copies of matrices in the order in which the micro-kernels of products read them; included within
// gemm_simd.cpp, once for each instruction set.
#if defined(ALULA_GEMM_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ALULA_GEMM_PACK_INL_H_
#undef ALULA_GEMM_PACK_INL_H_
#else
#define ALULA_GEMM_PACK_INL_H_
#endif

#include <algorithm>

#include <hwy/highway.h>

#include "alula/backends/cpu/gemm.h"
#include "alula/core/memory.h"
#include "alula/runtime/team.h"

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// As many accumulators as leave registers for two vectors of b and one element of a.
#if HWY_TARGET <= HWY_AVX3
constexpr int kRows = 12;
#elif HWY_TARGET == HWY_AVX2
constexpr int kRows = 6;
#else
constexpr int kRows = 4;
#endif

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(Tag<T>()));
template <class T>
constexpr int64_t kColumns = 2 * kLanes<T>;  // of a block of c

#if HWY_TARGET != HWY_SCALAR
/// to[c * to_row + r] = from[r * from_row + c] for a square of 16 bytes by 16.
HWY_INLINE void transpose_square(const float* from, int64_t from_row, float* to, int64_t to_row) {
  const hn::FixedTag<float, 4> d;
  const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + from_row),
             c = hn::LoadU(d, from + 2 * from_row), e = hn::LoadU(d, from + 3 * from_row);
  const auto ab0 = hn::InterleaveLower(d, a, b), ab1 = hn::InterleaveUpper(d, a, b);
  const auto ce0 = hn::InterleaveLower(d, c, e), ce1 = hn::InterleaveUpper(d, c, e);
  hn::StoreU(hn::ConcatLowerLower(d, ce0, ab0), d, to);
  hn::StoreU(hn::ConcatUpperUpper(d, ce0, ab0), d, to + to_row);
  hn::StoreU(hn::ConcatLowerLower(d, ce1, ab1), d, to + 2 * to_row);
  hn::StoreU(hn::ConcatUpperUpper(d, ce1, ab1), d, to + 3 * to_row);
}
HWY_INLINE void transpose_square(const double* from, int64_t from_row, double* to, int64_t to_row) {
  const hn::FixedTag<double, 2> d;
  const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + from_row);
  hn::StoreU(hn::InterleaveLower(d, a, b), d, to);
  hn::StoreU(hn::InterleaveUpper(d, a, b), d, to + to_row);
}
#endif

/// to[c * to_row + r] = from[r * from_row + c] for r < rows and c < columns.
template <class T>
void transpose(int64_t rows, int64_t columns, const T* from, int64_t from_row, T* to,
               int64_t to_row) {
  int64_t r = 0;
#if HWY_TARGET != HWY_SCALAR
  constexpr int64_t kSide = 16 / sizeof(T);
  for (; r + kSide <= rows; r += kSide) {
    int64_t c = 0;
    for (; c + kSide <= columns; c += kSide)
      transpose_square(from + r * from_row + c, from_row, to + c * to_row + r, to_row);
    for (; c < columns; ++c)
      for (int64_t i = r; i < r + kSide; ++i) to[c * to_row + i] = from[i * from_row + c];
  }
#endif
  for (; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) to[c * to_row + r] = from[r * from_row + c];
}

/// Copies [rows, k] of a into panels of kRows rows, step after step; what is missing is zero.
template <class T>
void pack_a(int64_t rows, int64_t k, Matrix<T> a, T* to) {
  for (int64_t i = 0; i < rows; i += kRows) {
    const int64_t count = std::min<int64_t>(kRows, rows - i);
    const T* from = a.data + i * a.row;
    if (count < kRows) std::fill_n(to, k * kRows, T{0});
    if (a.row == 1) {
      for (int64_t step = 0; step < k; ++step)
        for (int64_t r = 0; r < count; ++r) to[step * kRows + r] = from[step * a.column + r];
    } else if (a.column == 1) {
      transpose(count, k, from, a.row, to, kRows);
    } else {
      for (int64_t r = 0; r < count; ++r)
        for (int64_t step = 0; step < k; ++step)
          to[step * kRows + r] = from[r * a.row + step * a.column];
    }
    to += k * kRows;
  }
}

/// Copies the steps [begin, end) of the strips of b, [steps, columns], into the order of the
/// micro-kernel; what is missing of the last strip is zero.
template <class T>
void pack_b(int64_t begin, int64_t end, int64_t steps, int64_t columns, Matrix<T> b, T* to) {
  constexpr int64_t kStrip = kColumns<T>;
  for (int64_t first = 0; first < columns; first += kStrip, to += kStrip * steps) {
    const int64_t count = std::min(kStrip, columns - first);
    if (count < kStrip) std::fill(to + begin * kStrip, to + end * kStrip, T{0});
    const T* from = b.data + first * b.column;
    if (b.column == 1 && count == kStrip) {
      for (int64_t step = begin; step < end; ++step)
        for (int64_t j = 0; j < kStrip; ++j) to[step * kStrip + j] = from[step * b.row + j];
    } else if (b.row == 1) {
      transpose(count, end - begin, from + begin, b.column, to + begin * kStrip, kStrip);
    } else {
      for (int64_t j = 0; j < count; ++j)
        for (int64_t step = begin; step < end; ++step)
          to[step * kStrip + j] = from[step * b.row + j * b.column];
    }
  }
}

/// The same for all steps, by all threads, so that b is read in the order in which it lies.
template <class T>
void pack_b_together(int64_t steps, int64_t columns, Matrix<T> b, T* to) {
  constexpr int64_t kStrip = kColumns<T>;
  if (b.row == 1) {
    team::parallel_for((columns + kStrip - 1) / kStrip, static_cast<double>(kStrip * steps) * 0.1,
                       [&](int64_t begin, int64_t end) HWY_ATTR {
                         for (int64_t s = begin; s < end; ++s)
                           pack_b<T>(0, steps, steps, std::min(kStrip, columns - s * kStrip),
                                     {b.data + s * kStrip * b.column, b.row, b.column},
                                     to + s * kStrip * steps);
                       });
    return;
  }
  constexpr int64_t kSteps = 8;
  team::parallel_for((steps + kSteps - 1) / kSteps, static_cast<double>(kSteps * columns) * 0.1,
                     [&](int64_t begin, int64_t end) HWY_ATTR {
                       for (int64_t s = begin * kSteps; s < std::min(steps, end * kSteps);
                            s += kSteps)
                         pack_b<T>(s, std::min(steps, s + kSteps), steps, columns, b, to);
                     });
}

/// A block of memory for packed elements.
template <class T>
class Packed {
 public:
  explicit Packed(int64_t count)
      : bytes_(static_cast<size_t>(count) * sizeof(T)),
        data_(static_cast<T*>(memory::allocate(bytes_))) {}
  ~Packed() { memory::release(data_, bytes_); }
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;
  T* data() const { return data_; }

 private:
  size_t bytes_;
  T* data_;
};

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
