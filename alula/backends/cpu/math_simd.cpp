// The transcendental functions: Highway's where it has them, with the standard library's for the
// arguments that those do not take (NaN, infinity, very large ones).
#include <cmath>
#include <limits>

#include "alula/backends/cpu/routines.h"
#include "alula/backends/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "alula/backends/cpu/math_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using scalar::Opcode;

/// A function: `vector` for lanes between `low` and `high`, `plain` for any other.
struct Exp {
  static constexpr double kHighFloat = 104, kHighDouble = 706;
  template <class T>
  static constexpr T low() { return std::numeric_limits<T>::lowest(); }
  template <class T>
  static constexpr T high() { return sizeof(T) == 4 ? T(kHighFloat) : T(kHighDouble); }
  template <class D, class V>
  static V vector(D d, V x) { return hn::Exp(d, x); }
  template <class T>
  static T plain(T x) { return std::exp(x); }
};
struct Expm1 : Exp {
  template <class D, class V>
  static V vector(D d, V x) { return hn::Expm1(d, x); }
  template <class T>
  static T plain(T x) { return std::expm1(x); }
};
struct Log {
  template <class T>
  static constexpr T low() { return std::numeric_limits<T>::min(); }
  template <class T>
  static constexpr T high() { return std::numeric_limits<T>::max(); }
  template <class D, class V>
  static V vector(D d, V x) { return hn::Log(d, x); }
  template <class T>
  static T plain(T x) { return std::log(x); }
};
struct Log1p {
  template <class T>
  static constexpr T low() { return T(-0.999); }
  template <class T>
  static constexpr T high() { return std::numeric_limits<T>::max(); }
  template <class D, class V>
  static V vector(D d, V x) { return hn::Log1p(d, x); }
  template <class T>
  static T plain(T x) { return std::log1p(x); }
};
struct Sin {
  template <class T>
  static constexpr T low() { return -39000; }
  template <class T>
  static constexpr T high() { return 39000; }
  template <class D, class V>
  static V vector(D d, V x) { return hn::Sin(d, x); }
  template <class T>
  static T plain(T x) { return std::sin(x); }
};
struct Cos : Sin {
  template <class D, class V>
  static V vector(D d, V x) { return hn::Cos(d, x); }
  template <class T>
  static T plain(T x) { return std::cos(x); }
};
struct Tan : Sin {
  template <class D, class V>
  static V vector(D d, V x) { return hn::Div(hn::Sin(d, x), hn::Cos(d, x)); }
  template <class T>
  static T plain(T x) { return std::tan(x); }
};
struct Tanh {
  template <class T>
  static constexpr T low() { return std::numeric_limits<T>::lowest(); }
  template <class T>
  static constexpr T high() { return std::numeric_limits<T>::max(); }
  template <class D, class V>
  static V vector(D d, V x) { return hn::Tanh(d, x); }
  template <class T>
  static T plain(T x) { return std::tanh(x); }
};

/// One vector of results, with the lanes that `F::vector` does not take mended.
template <class F, class D, class V = hn::Vec<D>>
HWY_NOINLINE V evaluate(D d, V x) {
  using T = hn::TFromD<D>;
  const auto valid = hn::And(hn::Ge(x, hn::Set(d, F::template low<T>())),
                             hn::Le(x, hn::Set(d, F::template high<T>())));
  const V y = F::vector(d, x);
  if (hn::AllTrue(d, valid)) [[likely]]
    return y;
  HWY_ALIGN T arguments[hn::MaxLanes(d)];
  HWY_ALIGN T results[hn::MaxLanes(d)];
  hn::Store(x, d, arguments);
  hn::Store(y, d, results);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    const T a = arguments[i];
    if (!(a >= F::template low<T>() && a <= F::template high<T>())) results[i] = F::plain(a);
  }
  return hn::Load(d, results);
}

template <class F, class T>
void map(void* out, const void* const* operands, uint32_t uniform, int64_t n, uint32_t*) {
  const hn::ScalableTag<T> d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  auto* o = static_cast<T*>(out);
  const auto* a = static_cast<const T*>(operands[0]);
  const int64_t count = uniform != 0 ? 1 : n;
  int64_t i = 0;
  for (; i + step <= count; i += step) hn::StoreU(evaluate<F>(d, hn::LoadU(d, a + i)), d, o + i);
  if (i < count) {
    HWY_ALIGN T rest[hn::MaxLanes(d)] = {};
    std::copy(a + i, a + count, rest);
    hn::Store(evaluate<F>(d, hn::Load(d, rest)), d, rest);
    std::copy(rest, rest + (count - i), o + i);
  }
  if (uniform != 0) std::fill_n(o, n, *o);
}

/// x^y for a vector of positive x, in double: float's own precision would not do for large exponents.
template <class D, class V = hn::Vec<D>>
V positive_pow(D d, V x, V y) {
  return hn::Exp(d, hn::Mul(y, hn::Log(d, x)));
}

template <class T>
void pow(void* out, const void* const* operands, uint32_t uniform, int64_t n, uint32_t*) {
  auto* o = static_cast<T*>(out);
  const auto* a = static_cast<const T*>(operands[0]);
  const auto* b = static_cast<const T*>(operands[1]);
  const int64_t step_a = uniform & 1 ? 0 : 1, step_b = uniform & 2 ? 0 : 1;
  int64_t i = 0;
  if constexpr (sizeof(T) == 4) {
    const hn::ScalableTag<double> dd;
    const hn::Rebind<float, decltype(dd)> df;
    const auto lanes = static_cast<int64_t>(hn::Lanes(dd));
    for (; i + lanes <= n; i += lanes) {
      const auto xf = step_a ? hn::LoadU(df, a + i) : hn::Set(df, *a);
      const auto yf = step_b ? hn::LoadU(df, b + i) : hn::Set(df, *b);
      const auto x = hn::PromoteTo(dd, xf), y = hn::PromoteTo(dd, yf);
      // Where the exponent of the result is far out of float's range, leave it to the library.
      const auto power = hn::Mul(y, hn::Log(dd, x));
      const auto valid = hn::And(
          hn::And(hn::Gt(x, hn::Set(dd, 0)), hn::Le(x, hn::Set(dd, 3e38))),
          hn::And(hn::Ge(power, hn::Set(dd, -87)), hn::Le(power, hn::Set(dd, 88))));
      if (hn::AllTrue(dd, valid)) {
        hn::StoreU(hn::DemoteTo(df, hn::Exp(dd, power)), df, o + i);
      } else {
        for (int64_t k = i; k < i + lanes; ++k) o[k] = std::pow(a[k * step_a], b[k * step_b]);
      }
    }
  }
  for (; i < n; ++i) o[i] = std::pow(a[i * step_a], b[i * step_b]);
}

template <class T>
void erf(void* out, const void* const* operands, uint32_t uniform, int64_t n, uint32_t*) {
  auto* o = static_cast<T*>(out);
  const auto* a = static_cast<const T*>(operands[0]);
  for (int64_t i = 0; i < n; ++i) o[i] = std::erf(a[uniform != 0 ? 0 : i]);
}

template <class T>
Routine find_for(Opcode opcode) {
  switch (opcode) {
    case Opcode::kExp: return map<Exp, T>;
    case Opcode::kExpm1: return map<Expm1, T>;
    case Opcode::kLog: return map<Log, T>;
    case Opcode::kLog1p: return map<Log1p, T>;
    case Opcode::kSin: return map<Sin, T>;
    case Opcode::kCos: return map<Cos, T>;
    case Opcode::kTan: return map<Tan, T>;
    case Opcode::kTanh: return map<Tanh, T>;
    case Opcode::kPow: return pow<T>;
    case Opcode::kErf: return erf<T>;
    default: return nullptr;
  }
}

Routine FindMath(Opcode opcode, DType operand) {
  if (operand == float32) return find_for<float>(opcode);
  if (operand == float64) return find_for<double>(opcode);
  return nullptr;
}

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alula::cpu {

HWY_EXPORT(FindMath);

Routine find_math_routine(scalar::Opcode opcode, DType operand) {
  return HWY_DYNAMIC_DISPATCH(FindMath)(opcode, operand);
}

}  // namespace alula::cpu
#endif
