// Products with few columns: ten classes, say. A row of b would fill only part of a vector, so b is
// read as if it were one long row, and the elements of a are spread out to match: with 10 columns
// and 16 lanes, 8 rows of b are 5 whole vectors.
#if defined(ALULA_GEMM_NARROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ALULA_GEMM_NARROW_INL_H_
#undef ALULA_GEMM_NARROW_INL_H_
#else
#define ALULA_GEMM_NARROW_INL_H_
#endif

#include <algorithm>
#include <array>
#include <numeric>

#include <hwy/highway.h>

#include "alula/backends/cpu/gemm.h"
#include "alula/runtime/team.h"

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// `rows` rows of n columns are `vectors` whole vectors.
template <class T>
struct Fold {
  using Tag = hn::ScalableTag<T>;
  static constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(Tag()));
  static constexpr int64_t kMostVectors = 5;  // so that the sums of some rows stay in registers

  explicit Fold(int64_t n)
      : n(n), rows(kLanes / std::gcd(n, kLanes)), vectors(n / std::gcd(n, kLanes)) {}
  /// Whether this wastes less than leaving lanes empty.
  bool pays() const { return n < 2 * kLanes && n % kLanes != 0 && vectors <= kMostVectors; }

  int64_t n, rows, vectors;
};

/// For each of kV vectors: which of `rows` elements of a each lane is multiplied by.
template <class T, int kV>
struct Spread {
  using Index = hwy::MakeSigned<T>;
  static constexpr int64_t kLanes = Fold<T>::kLanes;

  explicit Spread(const Fold<T>& fold) {
    Index row = 0;
    for (int64_t l = 0, column = 0; l < kV * kLanes; ++l) {
      lanes[l] = row;
      if (++column == fold.n) column = 0, ++row;
    }
  }
  auto operator[](int v) const {
    return hn::SetTableIndices(typename Fold<T>::Tag(), lanes + v * kLanes);
  }

  HWY_ALIGN Index lanes[kV * kLanes];
};

/// As many elements as there are, at most a vector; zeros for the others.
template <class T>
hn::Vec<typename Fold<T>::Tag> load_some(const T* from, int64_t count) {
  const typename Fold<T>::Tag d;
  if (count >= Fold<T>::kLanes) return hn::LoadU(d, from);
  return count <= 0 ? hn::Zero(d)
                    : hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(count)), d, from);
}

/// c[i, :] = a[i, :] b for kR rows, whose elements are adjacent, as b's are.
template <class T, int kV, int kR>
void narrow_rows(const Fold<T>& fold, const Spread<T, kV>& spread, int64_t k, const T* a,
                 int64_t a_row, const T* b, T* c, int64_t c_row) {
  const typename Fold<T>::Tag d;
  using V = hn::Vec<typename Fold<T>::Tag>;
  constexpr int64_t kLanes = Fold<T>::kLanes;
  decltype(spread[0]) indices[kV];
  V sums[kR][kV];
  for (int v = 0; v < kV; ++v) indices[v] = spread[v];
#pragma GCC unroll 20
  for (int r = 0; r < kR; ++r)
#pragma GCC unroll 5
    for (int v = 0; v < kV; ++v) sums[r][v] = hn::Zero(d);
  const auto steps = [&](int64_t p, const auto& load) HWY_ATTR {
    V columns[kV];
#pragma GCC unroll 5
    for (int v = 0; v < kV; ++v)
      columns[v] = load(b + p * fold.n + v * kLanes, (k - p) * fold.n - v * kLanes);
#pragma GCC unroll 20
    for (int r = 0; r < kR; ++r) {
      const V elements = load(a + r * a_row + p, k - p);
#pragma GCC unroll 5
      for (int v = 0; v < kV; ++v)
        sums[r][v] = hn::MulAdd(hn::TableLookupLanes(elements, indices[v]), columns[v], sums[r][v]);
    }
  };
  int64_t p = 0;
  for (; p + kLanes <= k; p += fold.rows)
    steps(p, [&](const T* from, int64_t) HWY_ATTR { return hn::LoadU(d, from); });
  for (; p < k; p += fold.rows)
    steps(p, [&](const T* from, int64_t count) HWY_ATTR { return load_some(from, count); });
  // Add up the rows that each vector holds parts of.
  for (int r = 0; r < kR; ++r) {
    T parts[(kV + 1) * kLanes];
    for (int v = 0; v < kV; ++v) hn::StoreU(sums[r][v], d, parts + v * kLanes);
    hn::StoreU(hn::Zero(d), d, parts + kV * kLanes);
    for (int64_t j = 0; j < fold.n; j += kLanes) {
      const int64_t count = std::min(kLanes, fold.n - j);
      V sum = hn::LoadU(d, parts + j);
      for (int64_t q = 1; q < fold.rows; ++q)
        sum = hn::Add(sum, hn::LoadU(d, parts + q * fold.n + j));
      hn::BlendedStore(sum, hn::FirstN(d, static_cast<size_t>(count)), d, c + r * c_row + j);
    }
  }
}

/// Adds to c, whose elements are adjacent, the product of a, whose columns' elements are, and
/// `spread_b`: for each of k steps a row of b, repeated to kV vectors.
template <class T, int kV, int kGroups>
void narrow_columns(const Fold<T>& fold, const Spread<T, kV>& spread, int64_t rows, int64_t k,
                    const T* a, int64_t a_step, const T* spread_b, T* c, bool accumulate) {
  const typename Fold<T>::Tag d;
  using V = hn::Vec<typename Fold<T>::Tag>;
  constexpr int64_t kLanes = Fold<T>::kLanes;
  decltype(spread[0]) indices[kV];
  for (int v = 0; v < kV; ++v) indices[v] = spread[v];
  const auto group = [&](int64_t i, const auto& load, const auto& store) HWY_ATTR {
    V sums[kGroups][kV];
    const auto at = [&](int g, int v) { return (i + g * fold.rows) * fold.n + v * kLanes; };
#pragma GCC unroll 20
    for (int g = 0; g < kGroups; ++g)
#pragma GCC unroll 5
      for (int v = 0; v < kV; ++v)
        sums[g][v] = accumulate ? load(c + at(g, v), rows * fold.n - at(g, v)) : hn::Zero(d);
    for (int64_t p = 0; p < k; ++p) {
      V columns[kV];
#pragma GCC unroll 5
      for (int v = 0; v < kV; ++v) columns[v] = hn::LoadU(d, spread_b + (p * kV + v) * kLanes);
#pragma GCC unroll 20
      for (int g = 0; g < kGroups; ++g) {
        const int64_t row = i + g * fold.rows;
        const V elements = load(a + p * a_step + row, rows - row);
#pragma GCC unroll 5
        for (int v = 0; v < kV; ++v)
          sums[g][v] =
              hn::MulAdd(hn::TableLookupLanes(elements, indices[v]), columns[v], sums[g][v]);
      }
    }
#pragma GCC unroll 20
    for (int g = 0; g < kGroups; ++g)
#pragma GCC unroll 5
      for (int v = 0; v < kV; ++v) store(sums[g][v], at(g, v));
  };
  const int64_t step = kGroups * fold.rows;
  int64_t i = 0;
  for (; i + step - fold.rows + kLanes <= rows; i += step)
    group(
        i, [&](const T* from, int64_t) HWY_ATTR { return hn::LoadU(d, from); },
        [&](V sum, int64_t at) HWY_ATTR { hn::StoreU(sum, d, c + at); });
  for (; i < rows; i += step)
    group(
        i, [&](const T* from, int64_t count) HWY_ATTR { return load_some(from, count); },
        [&](V sum, int64_t at) HWY_ATTR {
          const int64_t left = rows * fold.n - at;
          if (left > 0)
            hn::BlendedStore(sum, hn::FirstN(d, static_cast<size_t>(std::min(left, kLanes))), d,
                             c + at);
        });
}

/// Calls f with the number of vectors as a constant.
template <class F>
void with_vectors(int64_t vectors, const F& f) {
  switch (vectors) {
    case 1: return f(std::integral_constant<int, 1>());
    case 2: return f(std::integral_constant<int, 2>());
    case 3: return f(std::integral_constant<int, 3>());
    case 4: return f(std::integral_constant<int, 4>());
    default: return f(std::integral_constant<int, 5>());
  }
}

// As many sums as leave registers for as many vectors of b, and of indices.
#if HWY_TARGET <= HWY_AVX3
constexpr int kNarrowSums = 20;
#else
constexpr int kNarrowSums = 5;
#endif

/// For a with adjacent columns: each thread takes some rows.
template <class T>
void multiply_narrow_rows(int64_t m, int64_t n, int64_t k, Matrix<T> a, const T* b, T* c,
                          int64_t row, const Epilogue* epilogue) {
  const Fold<T> fold(n);
  with_vectors(fold.vectors, [&](auto vectors) HWY_ATTR {
    constexpr int kV = decltype(vectors)::value, kR = std::max(1, kNarrowSums / kV);
    const Spread<T, kV> spread(fold);
    const double nanoseconds = static_cast<double>(k * n) * sizeof(T) / 120;
    team::parallel_for(m, nanoseconds, [&](int64_t begin, int64_t end) HWY_ATTR {
      int64_t i = begin;
      for (; i + kR <= end; i += kR)
        narrow_rows<T, kV, kR>(fold, spread, k, a.data + i * a.row, a.row, b, c + i * row, row);
      for (; i < end; ++i)
        narrow_rows<T, kV, 1>(fold, spread, k, a.data + i * a.row, a.row, b, c + i * row, row);
      if (epilogue != nullptr) epilogue->finish({begin, end - begin, 0, n});
    });
  });
}

/// For a with adjacent rows, and c without gaps: each thread takes some rows.
template <class T>
void multiply_narrow_columns(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c,
                             const Epilogue* epilogue) {
  const Fold<T> fold(n);
  constexpr int64_t kSteps = 64;  // of b, spread out, fit the first-level cache
  with_vectors(fold.vectors, [&](auto vectors) HWY_ATTR {
    constexpr int kV = decltype(vectors)::value, kGroups = std::max(1, kNarrowSums / kV);
    const Spread<T, kV> spread(fold);
    const double nanoseconds = static_cast<double>(k * n) * sizeof(T) / 120;
    team::parallel_for(m, nanoseconds, [&](int64_t begin, int64_t end) HWY_ATTR {
      HWY_ALIGN T spread_b[kSteps * kV * Fold<T>::kLanes];
      for (int64_t p = 0; p < k; p += kSteps) {
        const int64_t steps = std::min(kSteps, k - p);
        for (int64_t s = 0; s < steps; ++s)
          for (int64_t q = 0; q < fold.rows; ++q)
            std::copy_n(b.data + (p + s) * b.row, n, spread_b + s * kV * Fold<T>::kLanes + q * n);
        narrow_columns<T, kV, kGroups>(fold, spread, end - begin, steps,
                                       a.data + begin + p * a.column, a.column, spread_b,
                                       c + begin * n, p > 0);
      }
      if (epilogue != nullptr) epilogue->finish({begin, end - begin, 0, n});
    });
  });
}

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
