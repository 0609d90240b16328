// argmax and argmin: the best of a stretch is found with vectors, then its place by a search.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "alula/backends/cpu/along_axis.h"
#include "alula/backends/cpu/targets.h"
#include "alula/ops/arg_reduce.h"
#include "alula/runtime/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "alula/backends/cpu/arg_reduce_simd.cpp"
// clang-format off: the order matters
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/algo/find-inl.h>
// clang-format on

#include "alula/backends/cpu/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

/// Each works on numbers and on vectors of them: a = b where b is better. NaN never is.
struct Larger {
  template <class T>
  static constexpr T worst() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  template <class V>
  static HWY_INLINE void take(V& a, const V& b) {
    a = b > a ? b : a;
  }
  template <class T>
  static bool better(T a, T b) {
    return a > b;
  }
};
struct Smaller {
  template <class T>
  static constexpr T worst() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  template <class V>
  static HWY_INLINE void take(V& a, const V& b) {
    a = b < a ? b : a;
  }
  template <class T>
  static bool better(T a, T b) {
    return a < b;
  }
};

constexpr int64_t kStretch = 2048;

/// `n` elements as a type that can be compared: as they are, or copied to `wide`.
template <class T, class C>
const C* comparable(const T* x, int64_t n, C* wide) {
  if constexpr (std::is_same_v<T, C>) {
    return x;
  } else {
    widen(x, wide, n);
    return wide;
  }
}

template <class F, class T>
HWY_NOINLINE T best_of(const T* x, int64_t n) {
  constexpr int64_t kGroup = 4;
  T best = F::template worst<T>();
  int64_t i = 0;
  if (n >= kGroup * kLanes<T>) {
    Vector<T> v[kGroup];
    for (Vector<T>& each : v) fill<T>(each, best);
    for (; i + kGroup * kLanes<T> <= n; i += kGroup * kLanes<T>)
      for (int64_t k = 0; k < kGroup; ++k) {
        Vector<T> next;
        load(next, x + i + k * kLanes<T>);
        F::take(v[k], next);
      }
    for (int64_t k = 1; k < kGroup; ++k) F::take(v[0], v[k]);
    for (int64_t k = 0; k < kLanes<T>; ++k) F::take(best, static_cast<T>(v[0][k]));
  }
  for (; i < n; ++i) F::take(best, x[i]);
  return best;
}

/// Where `value` first stands; 0 if nowhere.
template <class T>
HWY_NOINLINE int64_t find(const T* x, int64_t n, T value) {
  const hwy::HWY_NAMESPACE::ScalableTag<T> d;
  const auto at =
      static_cast<int64_t>(hwy::HWY_NAMESPACE::Find(d, value, x, static_cast<size_t>(n)));
  return at < n ? at : 0;
}

template <class F, class C, class T>
int64_t best_in_row(const T* x, int64_t n) {
  C wide[std::is_same_v<T, C> ? 1 : kStretch];
  C best = F::template worst<C>();
  int64_t at = 0;
  for (int64_t i = 0; i < n; i += kStretch) {
    const int64_t count = std::min(kStretch, n - i);
    const C found = best_of<F, C>(comparable(x + i, count, wide), count);
    if (!F::better(found, best)) continue;
    best = found;
    at = i;
  }
  const int64_t count = std::min(kStretch, n - at);
  return at + find<C>(comparable(x + at, count, wide), count, best);
}

/// `kRows` rows too short for vectors, whose comparisons need not wait for each other.
template <int kRows, class F, class C, class T>
HWY_INLINE void best_in_short_rows(const T* x, int64_t n, int64_t* places) {
  C best[kRows];
  int64_t found[kRows] = {};
  std::fill_n(best, kRows, F::template worst<C>());
  for (int64_t j = 0; j < n; ++j)
    for (int64_t k = 0; k < kRows; ++k) {
      const auto value = static_cast<C>(x[k * n + j]);
      const bool better = F::better(value, best[k]);
      best[k] = better ? value : best[k];
      found[k] = better ? j : found[k];
    }
  std::copy_n(found, kRows, places);
}

template <class F, class C, class T>
void best_in_rows(const T* x, int64_t rows, int64_t n, int64_t* places) {
  int64_t i = 0;
  if (n <= 2 * kLanes<C>) {
    for (; i + 4 <= rows; i += 4) best_in_short_rows<4, F, C>(x + i * n, n, places + i);
    for (; i < rows; ++i) best_in_short_rows<1, F, C>(x + i * n, n, places + i);
  }
  for (; i < rows; ++i) places[i] = best_in_row<F, C>(x + i * n, n);
}

/// The places of the best of each of `width` columns, at most kStretch.
template <class F, class C, class T>
void best_in_columns(const T* x, int64_t rows, int64_t stride, int64_t width, int64_t* places) {
  C wide[std::is_same_v<T, C> ? 1 : kStretch];
  C best[kStretch];
  std::fill_n(best, width, F::template worst<C>());
  std::fill_n(places, width, 0);
  for (int64_t i = 0; i < rows; ++i) {
    const C* row = comparable(x + i * stride, width, wide);
#pragma GCC ivdep
    for (int64_t j = 0; j < width; ++j) {
      const bool better = F::better(row[j], best[j]);
      best[j] = better ? row[j] : best[j];
      places[j] = better ? i : places[j];
    }
  }
}

void write(const int64_t* places, int64_t n, const View& out, int64_t at) {
  if (out.dtype() == int64)
    std::copy_n(places, n, out.as<int64_t>() + at);
  else
    for (int64_t i = 0; i < n; ++i) out.as<int32_t>()[at + i] = static_cast<int32_t>(places[i]);
}

template <class F, class T>
void arg_reduce(const AlongAxis& shape, const T* x, const View& out) {
  using C = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
  const double nanoseconds = 0.1 * static_cast<double>(shape.length * sizeof(T)) + 5;
  if (shape.inner == 1) {
    team::parallel_for(shape.outer, nanoseconds, [&](int64_t begin, int64_t end) {
      constexpr int64_t kMost = 256;
      int64_t places[kMost];
      for (int64_t i = begin; i < end; i += kMost) {
        const int64_t rows = std::min(kMost, end - i);
        best_in_rows<F, C>(x + i * shape.length, rows, shape.length, places);
        write(places, rows, out, i);
      }
    });
    return;
  }
  const int64_t width = std::min<int64_t>(shape.inner, 512);
  const int64_t pieces = (shape.inner + width - 1) / width;
  team::parallel_for(shape.outer * pieces, nanoseconds * static_cast<double>(width),
                     [&](int64_t begin, int64_t end) {
                       int64_t places[kStretch];
                       for (int64_t i = begin; i < end; ++i) {
                         const int64_t block = i / pieces, column = i % pieces * width;
                         const int64_t count = std::min(width, shape.inner - column);
                         best_in_columns<F, C>(x + block * shape.length * shape.inner + column,
                                               shape.length, shape.inner, count, places);
                         write(places, count, out, block * shape.inner + column);
                       }
                     });
}

template <class F>
void run(int64_t axis, const KernelCall& call) {
  const View &x = call.inputs[0], &out = call.outputs[0];
  if (out.size() == 0) return;
  with_type(x.dtype() == boolean ? uint8 : x.dtype(), [&]<class T>(Type<T>) {
    if constexpr (!std::is_same_v<T, bool>)
      arg_reduce<F>(AlongAxis(x.shape(), axis), x.as<const T>(), out);
  });
}

void RunArgMax(int64_t axis, const KernelCall& call) { run<Larger>(axis, call); }
void RunArgMin(int64_t axis, const KernelCall& call) { run<Smaller>(axis, call); }

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alula::cpu {
namespace {

HWY_EXPORT(RunArgMax);
HWY_EXPORT(RunArgMin);

const RegisterKernel<DeviceType::kCPU, ArgMax> argmax{[](const ArgMax& op, const KernelCall& call) {
  HWY_DYNAMIC_DISPATCH(RunArgMax)(op.axis, call);
}};
const RegisterKernel<DeviceType::kCPU, ArgMin> argmin{[](const ArgMin& op, const KernelCall& call) {
  HWY_DYNAMIC_DISPATCH(RunArgMin)(op.axis, call);
}};

}  // namespace
}  // namespace alula::cpu
#endif
