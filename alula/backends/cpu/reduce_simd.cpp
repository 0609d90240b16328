// The loops of reductions, for rows and for columns.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "alula/backends/cpu/reduce.h"
#include "alula/backends/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "alula/backends/cpu/reduce_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "alula/backends/cpu/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

/// Each works on numbers and on vectors of them: a = f(a, b).
struct Add {
  template <class T>
  static constexpr T identity() {
    return 0;
  }
  template <class V>
  static HWY_INLINE void apply(V& a, const V& b) {
    a = a + b;
  }
};
struct Multiply {
  template <class T>
  static constexpr T identity() {
    return 1;
  }
  template <class V>
  static HWY_INLINE void apply(V& a, const V& b) {
    if constexpr (std::is_same_v<V, uint16_t>)
      a = static_cast<uint16_t>(uint32_t{a} * b);  // as int the product could overflow
    else
      a = a * b;
  }
};
struct Maximum {
  template <class T>
  static constexpr T identity() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  template <class V>
  static HWY_INLINE void apply(V& a, const V& b) {
    a = ((a > b) | (a != a)) ? a : b;
  }
};
struct Minimum {
  template <class T>
  static constexpr T identity() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  template <class V>
  static HWY_INLINE void apply(V& a, const V& b) {
    a = ((a < b) | (a != a)) ? a : b;
  }
};

/// How many vectors are added up in registers at a time, and how many such groups before they go
/// into the accumulator: the few additions in float lose little, and the many that follow are in
/// double.
constexpr int64_t kGroup = 8, kGroups = 16;

/// F of `kCount` vectors, in a tree.
template <int64_t kCount, class F, class T, class Load>
HWY_INLINE void tree(Vector<T>& result, const Load& load_at) {
  Vector<T> v[kCount];
  for (int64_t k = 0; k < kCount; ++k) load_at(k, v[k]);
  for (int64_t width = kCount / 2; width > 0; width /= 2)
    for (int64_t k = 0; k < width; ++k) F::apply(v[k], v[k + width]);
  result = v[0];
}

template <class F, class T, class A>
HWY_INLINE void fold_lanes(const Vector<T>& vector, A& accumulator) {
  for (int64_t i = 0; i < kLanes<T>; ++i) F::apply(accumulator, static_cast<A>(vector[i]));
}

template <class F, class T, class A>
HWY_NOINLINE void reduce_row(const T* x, int64_t n, A& accumulator) {
  int64_t i = 0;
  while (i + kGroup * kLanes<T> <= n) {
    Vector<T> v[kGroup];
    for (int64_t k = 0; k < kGroup; ++k) load(v[k], x + i + k * kLanes<T>);
    const int64_t end = std::min(n, i + kGroups * kGroup * kLanes<T>);
    for (i += kGroup * kLanes<T>; i + kGroup * kLanes<T> <= end; i += kGroup * kLanes<T>)
      for (int64_t k = 0; k < kGroup; ++k) {
        Vector<T> next;
        load(next, x + i + k * kLanes<T>);
        F::apply(v[k], next);
      }
    Vector<T> sum;
    tree<kGroup, F, T>(sum, [&](int64_t k, Vector<T>& to) { to = v[k]; });
    fold_lanes<F, T>(sum, accumulator);
  }
  if (i + kLanes<T> <= n) {
    Vector<T> sum;
    load(sum, x + i);
    for (i += kLanes<T>; i + kLanes<T> <= n; i += kLanes<T>) {
      Vector<T> next;
      load(next, x + i);
      F::apply(sum, next);
    }
    fold_lanes<F, T>(sum, accumulator);
  }
  for (; i < n; ++i) F::apply(accumulator, static_cast<A>(x[i]));
}

/// Rows too short for vectors: four at a time, whose additions need not wait for each other.
template <class F, class T, class A>
HWY_NOINLINE void reduce_short_rows(const T* x, int64_t rows, int64_t stride, int64_t n,
                                    A* accumulators) {
  int64_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    const T* row = x + i * stride;
    A a = accumulators[i], b = accumulators[i + 1], c = accumulators[i + 2],
      d = accumulators[i + 3];
    for (int64_t j = 0; j < n; ++j) {
      F::apply(a, static_cast<A>(row[j]));
      F::apply(b, static_cast<A>(row[j + stride]));
      F::apply(c, static_cast<A>(row[j + 2 * stride]));
      F::apply(d, static_cast<A>(row[j + 3 * stride]));
    }
    accumulators[i] = a, accumulators[i + 1] = b, accumulators[i + 2] = c, accumulators[i + 3] = d;
  }
  for (; i < rows; ++i)
    for (int64_t j = 0; j < n; ++j) F::apply(accumulators[i], static_cast<A>(x[i * stride + j]));
}

template <class F, class T, class A>
HWY_INLINE void add_to(const Vector<T>& vector, A* accumulators) {
  if constexpr (std::is_same_v<T, A>) {
    Vector<T> sum;
    load(sum, accumulators);
    F::apply(sum, vector);
    store(sum, accumulators);
  } else {
    static_assert(sizeof(A) == 2 * sizeof(T));
    using HalfVector [[gnu::vector_size(kVectorBytes / 2)]] = T;
    HalfVector halves[2];
    std::memcpy(halves, &vector, sizeof(vector));
    for (int64_t i = 0; i < 2; ++i) {
      Vector<A> sum;
      load(sum, accumulators + i * kLanes<A>);
      F::apply(sum, __builtin_convertvector(halves[i], Vector<A>));
      store(sum, accumulators + i * kLanes<A>);
    }
  }
}

/// How many rows of columns are added up in registers before they go into the accumulators.
constexpr int64_t kRows = 16;

template <class F, class T, class A>
HWY_NOINLINE void reduce_columns(const T* x, int64_t rows, int64_t stride, int64_t n,
                                 A* accumulators) {
  int64_t i = 0;
  for (; i + kRows <= rows; i += kRows) {
    const T* block = x + i * stride;
    int64_t j = 0;
    for (; j + kLanes<T> <= n; j += kLanes<T>) {
      Vector<T> sum;
      tree<kRows, F, T>(sum, [&](int64_t k, Vector<T>& to) { load(to, block + k * stride + j); });
      add_to<F, T>(sum, accumulators + j);
    }
    for (; j < n; ++j)
      for (int64_t k = 0; k < kRows; ++k)
        F::apply(accumulators[j], static_cast<A>(block[k * stride + j]));
  }
  for (; i < rows; ++i) {
    const T* row = x + i * stride;
    for (int64_t j = 0; j < n; ++j) F::apply(accumulators[j], static_cast<A>(row[j]));
  }
}

/// Rows of elements that are computed with as they are, or widened a stretch at a time.
template <class F, class From, class T, class A>
void Rows(const void* x, int64_t rows, int64_t stride, int64_t n, void* accumulators) {
  const auto* from = static_cast<const From*>(x);
  auto* to = static_cast<A*>(accumulators);
  if constexpr (std::is_same_v<From, T>) {
    if (n < 2 * kLanes<T>) return reduce_short_rows<F, T, A>(from, rows, stride, n, to);
    for (int64_t i = 0; i < rows; ++i) reduce_row<F, T, A>(from + i * stride, n, to[i]);
  } else {
    constexpr int64_t kStretch = 2048;
    T wide[kStretch];
    if (stride == n && n <= kStretch / 2) {  // several rows at a time
      for (int64_t i = 0, some; i < rows; i += some) {
        some = std::min(kStretch / n, rows - i);
        widen(from + i * n, wide, some * n);
        Rows<F, T, T, A>(wide, some, n, n, to + i);
      }
      return;
    }
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < n; j += kStretch) {
        const int64_t count = std::min(kStretch, n - j);
        widen(from + i * stride + j, wide, count);
        reduce_row<F, T, A>(wide, count, to[i]);
      }
  }
}

template <class F, class From, class T, class A>
void Columns(const void* x, int64_t rows, int64_t stride, int64_t n, void* accumulators) {
  const auto* from = static_cast<const From*>(x);
  auto* to = static_cast<A*>(accumulators);
  if constexpr (std::is_same_v<From, T>) {
    reduce_columns<F, T, A>(from, rows, stride, n, to);
  } else {
    constexpr int64_t kStretch = 256;
    T wide[kRows][kStretch];
    for (int64_t i = 0; i < rows; i += kRows)
      for (int64_t j = 0; j < n; j += kStretch) {
        const int64_t height = std::min(kRows, rows - i), width = std::min(kStretch, n - j);
        for (int64_t k = 0; k < height; ++k) widen(from + (i + k) * stride + j, wide[k], width);
        reduce_columns<F, T, A>(wide[0], height, kStretch, width, to + j);
      }
  }
}

template <class F, class A>
void Start(void* accumulators, int64_t n) {
  std::fill_n(static_cast<A*>(accumulators), n, F::template identity<A>());
}

template <class F, class A>
void Combine(const void* others, int64_t n, void* accumulators) {
  for (int64_t i = 0; i < n; ++i)
    F::apply(static_cast<A*>(accumulators)[i], static_cast<const A*>(others)[i]);
}

template <class A, class To>
void Finish(const void* accumulators, int64_t n, int64_t, void* out) {
  const auto* a = static_cast<const A*>(accumulators);
  for (int64_t i = 0; i < n; ++i) static_cast<To*>(out)[i] = static_cast<To>(a[i]);
}

template <class A, class To>
void FinishMean(const void* accumulators, int64_t n, int64_t count, void* out) {
  const auto* a = static_cast<const A*>(accumulators);
  for (int64_t i = 0; i < n; ++i) {
    if (std::is_integral_v<A> && count == 0)
      static_cast<To*>(out)[i] = To{0};
    else
      static_cast<To*>(out)[i] = static_cast<To>(a[i] / static_cast<A>(count));
  }
}

template <class F, class From, class T, class A, auto kFinish>
constexpr Reducer kReducer{.element = sizeof(From),
                           .accumulator = sizeof(A),
                           .start = Start<F, A>,
                           .rows = Rows<F, From, T, A>,
                           .columns = Columns<F, From, T, A>,
                           .combine = Combine<F, A>,
                           .finish = kFinish};

/// What T is computed as.
template <class T>
using Computed = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
/// Sums of float go on in double.
template <class T>
using Sum = std::conditional_t<std::is_floating_point_v<Computed<T>>, double, T>;
/// Sums and products wrap around, which in C++ only those of unsigned integers may; the bits are
/// the same.
template <class T>
using Wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                             std::type_identity<T>>::type;
/// An integer's mean is that of a sum in 64 bits, added up without a sign.
template <class T>
using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;

template <class T>
const Reducer& find_for(Reduction reduction) {
  using C = Computed<T>;
  using W = Wrapping<T>;
  switch (reduction) {
    case Reduction::kSum: return kReducer<Add, W, Computed<W>, Sum<W>, Finish<Sum<W>, W>>;
    case Reduction::kProd:
      return kReducer<Multiply, W, Computed<W>, Computed<W>, Finish<Computed<W>, W>>;
    case Reduction::kMax: return kReducer<Maximum, T, C, C, Finish<C, T>>;
    case Reduction::kMin: return kReducer<Minimum, T, C, C, Finish<C, T>>;
    default:
      if constexpr (std::is_integral_v<T>)
        return kReducer<Add, T, uint64_t, uint64_t, FinishMean<Wide<T>, T>>;
      else
        return kReducer<Add, T, C, Sum<T>, FinishMean<Sum<T>, T>>;
  }
}

/// True is 1 and false 0: some is true if the largest is, all are if the smallest is.
const Reducer* FindReducer(Reduction reduction, DType dtype) {
  using Byte = uint8_t;
  if (reduction == Reduction::kAny) return &kReducer<Maximum, Byte, Byte, Byte, Finish<Byte, bool>>;
  if (reduction == Reduction::kAll) return &kReducer<Minimum, Byte, Byte, Byte, Finish<Byte, bool>>;
  return with_type(dtype, [&]<class T>(Type<T>) -> const Reducer* {
    if constexpr (std::is_same_v<T, bool>)
      return nullptr;
    else
      return &find_for<T>(reduction);
  });
}

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alula::cpu {

HWY_EXPORT(FindReducer);

const Reducer& find_reducer(Reduction reduction, DType dtype) {
  return *HWY_DYNAMIC_DISPATCH(FindReducer)(reduction, dtype);
}

}  // namespace alula::cpu
#endif
