// Vectors of the instruction set being compiled for, with the compiler's own operators; included
// within a *_simd.cpp file, once for each instruction set.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "alula/core/half.h"

#if defined(ALULA_CPU_VECTORS_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef ALULA_CPU_VECTORS_TOGGLE
#undef ALULA_CPU_VECTORS_TOGGLE
#else
#define ALULA_CPU_VECTORS_TOGGLE
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

inline constexpr int64_t kVectorBytes = HWY_MAX_BYTES < 64 ? HWY_MAX_BYTES : 64;

/// As many T as a register holds; +, *, < and ?: work on all of them at once. Passed by reference:
/// by value, the calling convention would depend on the instruction set.
template <class T>
struct VectorOf {
  using type [[gnu::vector_size(kVectorBytes)]] = T;
};
template <class T>
using Vector = typename VectorOf<T>::type;

template <class T>
inline constexpr int64_t kLanes = kVectorBytes / sizeof(T);

template <class T>
HWY_INLINE void load(Vector<T>& vector, const T* from) {
  std::memcpy(&vector, from, sizeof(vector));
}
template <class T>
HWY_INLINE void store(const Vector<T>& vector, T* to) {
  std::memcpy(to, &vector, sizeof(vector));
}
template <class T>
HWY_INLINE void fill(Vector<T>& vector, T value) {
  for (int64_t i = 0; i < kLanes<T>; ++i) vector[i] = value;
}

/// Elements as a type that can be computed with.
template <class From, class To>
HWY_NOINLINE void widen(const From* from, To* to, int64_t n) {
  int64_t i = 0;
  if constexpr (std::is_same_v<From, Half>) {
    namespace hn = hwy::HWY_NAMESPACE;
    const hn::ScalableTag<float> df;
    const hn::Rebind<hwy::float16_t, decltype(df)> dh;
    const auto lanes = static_cast<int64_t>(hn::Lanes(df));
    for (; i + lanes <= n; i += lanes)
      hn::StoreU(
          hn::PromoteTo(df, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(from + i))), df,
          to + i);
  }
  for (; i < n; ++i) to[i] = static_cast<To>(from[i]);
}

/// Back to 16 bits, to nearest even.
template <class From, class To>
HWY_NOINLINE void narrow(const From* from, To* to, int64_t n) {
  int64_t i = 0;
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
  if constexpr (std::is_same_v<To, Half>) {
    namespace hn = hwy::HWY_NAMESPACE;
    const hn::ScalableTag<float> df;
    const hn::Rebind<hwy::float16_t, decltype(df)> dh;
    const auto lanes = static_cast<int64_t>(hn::Lanes(df));
    for (; i + lanes <= n; i += lanes)
      hn::StoreU(hn::DemoteTo(dh, hn::LoadU(df, from + i)), dh,
                 reinterpret_cast<hwy::float16_t*>(to + i));
  }
#endif
  for (; i < n; ++i) to[i] = static_cast<To>(from[i]);
}

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
