// What softmax and the cross-entropies share; included within a *_simd.cpp file, once for each
// instruction set.
#include <cmath>
#include <cstdint>

#include "alula/backends/cpu/reduce.h"

#if defined(ALULA_CPU_SOFTMAX_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef ALULA_CPU_SOFTMAX_TOGGLE
#undef ALULA_CPU_SOFTMAX_TOGGLE
#else
#define ALULA_CPU_SOFTMAX_TOGGLE
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "alula/backends/cpu/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

/// exp of elements that are at most 0, or NaN. `to` may be `from`.
template <class F>
HWY_NOINLINE void exp_of_negative(const F* from, F* to, int64_t n) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<F> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto map = [&](const F* a, F* b) {
    const auto x = hn::LoadU(d, a);
    hn::StoreU(hn::IfThenElse(hn::IsNaN(x), x, hn::Exp(d, x)), d, b);
  };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) map(from + i, to + i);
  if (i == n) return;
  HWY_ALIGN F rest[hn::MaxLanes(d)] = {};
  std::copy(from + i, from + n, rest);
  map(rest, rest);
  std::copy(rest, rest + (n - i), to + i);
}

/// Results at a time.
constexpr int64_t kMostSums = 256;

/// How many rows of `n` are worked on at a time, so that what was read is still in the cache when
/// it is read again.
inline int64_t rows_at_a_time(int64_t n) {
  return std::clamp<int64_t>(8192 / std::max<int64_t>(n, 1), 1, kMostSums);
}

/// Exponentials and their sums, of a tile [rows, width] whose rows are `stride` apart. The sums are
/// those of the columns, or those of the rows.
template <class F>
struct ExpTile {
  int64_t rows, width, stride;
  bool columns;
  F largest[kMostSums];
  double sums[kMostSums];

  int64_t results() const { return columns ? width : rows; }

  /// `below` gets x less the largest of its row or column, then `exps` its exponentials. Either may
  /// be `x`, and both the same.
  void compute(const F* x, F* below, F* exps) {
    static const Reducer& max = find_reducer(Reduction::kMax, dtype_of<F>);
    static const Reducer& sum = find_reducer(Reduction::kSum, dtype_of<F>);
    max.start(largest, results());
    (columns ? max.columns : max.rows)(x, rows, stride, width, largest);
    each_row([&](int64_t i, int64_t at) {
#pragma GCC ivdep
      for (int64_t j = 0; j < width; ++j)
        below[at + j] = x[at + j] - (columns ? largest[j] : largest[i]);
    });
    if (stride == width)
      exp_of_negative(below, exps, rows * width);
    else
      each_row([&](int64_t, int64_t at) { exp_of_negative(below + at, exps + at, width); });
    sum.start(sums, results());
    (columns ? sum.columns : sum.rows)(exps, rows, stride, width, sums);
  }

  template <class Body>
  void each_row(const Body& body) const {
    for (int64_t i = 0; i < rows; ++i) body(i, i * stride);
  }
};

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
