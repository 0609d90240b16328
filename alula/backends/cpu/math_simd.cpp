// The transcendental functions: for float32 our own, for float64 Highway's where it has them, each
// with the standard library's for the arguments that it does not take.
#include <cmath>
#include <limits>

#include "alula/backends/cpu/routines.h"
#include "alula/backends/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "alula/backends/cpu/math_simd.cpp"
// clang-format off: the order matters
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using scalar::Opcode;

/// What the float functions are made of, by Highway.
template <class D>
struct FloatArithmetic {
  using DI = hn::RebindToSigned<D>;
  using F = hn::Vec<D>;
  using I = hn::Vec<DI>;
  using M = hn::Mask<D>;

  F constant(float value) const { return hn::Set(D(), value); }
  I integer(int32_t value) const { return hn::Set(DI(), value); }
  F add(F a, F b) const { return hn::Add(a, b); }
  F sub(F a, F b) const { return hn::Sub(a, b); }
  F mul(F a, F b) const { return hn::Mul(a, b); }
  F div(F a, F b) const { return hn::Div(a, b); }
  F mul_add(F a, F b, F c) const { return hn::MulAdd(a, b, c); }
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  F min(F a, F b) const { return hn::Min(a, b); }
  F max(F a, F b) const { return hn::Max(a, b); }
#else
  F min(F a, F b) const { return hn::IfThenElse(hn::Lt(a, b), a, b); }
  F max(F a, F b) const { return hn::IfThenElse(hn::Lt(b, a), a, b); }
#endif
  F abs(F x) const { return hn::Abs(x); }
  F copy_sign(F magnitude, F sign) const { return hn::CopySign(magnitude, sign); }
  F flip_sign(F x, I i) const { return hn::Xor(x, hn::And(hn::BitCast(D(), i), hn::SignBit(D()))); }
  M less(F a, F b) const { return hn::Lt(a, b); }
  M less_equal(F a, F b) const { return hn::Le(a, b); }
  F select(M m, F a, F b) const { return hn::IfThenElse(m, a, b); }
  I bits(F x) const { return hn::BitCast(DI(), x); }
  F floats(I i) const { return hn::BitCast(D(), i); }
  I add_bits(I a, I b) const { return hn::Add(a, b); }
  I sub_bits(I a, I b) const { return hn::Sub(a, b); }
  template <int kBits>
  I shift_left(I i) const {
    return hn::ShiftLeft<kBits>(i);
  }
  template <int kBits>
  I shift_right(I i) const {
    return hn::ShiftRight<kBits>(i);
  }
  F from_integer(I i) const { return hn::ConvertTo(D(), i); }
  F scale(F x, F n) const {
#if HWY_TARGET == HWY_AVX3
    return F{_mm512_scalef_ps(x.raw, n.raw)};
#else
    // In two steps, so that a result too large or too small becomes what it should.
    const I whole = hn::ConvertTo(DI(), n), half = hn::ShiftRight<1>(whole);
    return hn::Mul(hn::Mul(x, power(half)), power(hn::Sub(whole, half)));
#endif
  }

 private:
  /// 2^n
  static F power(I n) {
    return hn::BitCast(D(), hn::ShiftLeft<23>(hn::Add(n, hn::Set(DI(), 127))));
  }
};

#include "alula/backends/cpu/float_functions-inl.h"

/// A function: `vector` for lanes between `low` and `high`, `plain` for any other. Of floats,
/// `vector` takes all, unless kCheckedFloat is set.
template <class D>
inline constexpr bool kIsFloat = sizeof(hn::TFromD<D>) == 4;

struct Exp {
  static constexpr bool kCheckedFloat = false;
  template <class T>
  static constexpr T low() {
    return std::numeric_limits<T>::lowest();
  }
  template <class T>
  static constexpr T high() {
    return 706;
  }
  template <class D, class V>
  static V vector(D d, V x) {
    if constexpr (kIsFloat<D>)
      return float_exp(FloatArithmetic<D>(), x);
    else
      return hn::Exp(d, x);
  }
  template <class T>
  static T plain(T x) {
    return std::exp(x);
  }
};
struct Expm1 : Exp {
  template <class D, class V>
  static V vector(D d, V x) {
    if constexpr (kIsFloat<D>)
      return float_expm1(FloatArithmetic<D>(), x);
    else
      return hn::Expm1(d, x);
  }
  template <class T>
  static T plain(T x) {
    return std::expm1(x);
  }
};
struct Log {
  static constexpr bool kCheckedFloat = false;
  template <class T>
  static constexpr T low() {
    return std::numeric_limits<T>::min();
  }
  template <class T>
  static constexpr T high() {
    return std::numeric_limits<T>::max();
  }
  template <class D, class V>
  static V vector(D d, V x) {
    if constexpr (kIsFloat<D>)
      return float_log(FloatArithmetic<D>(), x);
    else
      return hn::Log(d, x);
  }
  template <class T>
  static T plain(T x) {
    // Where denormals count as 0, the library's function is not right for them.
    if (std::abs(x) < low<T>()) return -std::numeric_limits<T>::infinity();
    return std::log(x);
  }
};
struct Log1p {
  static constexpr bool kCheckedFloat = false;
  template <class T>
  static constexpr T low() {
    return T(-0.999);
  }
  template <class T>
  static constexpr T high() {
    return std::numeric_limits<T>::max();
  }
  template <class D, class V>
  static V vector(D d, V x) {
    if constexpr (kIsFloat<D>)
      return float_log1p(FloatArithmetic<D>(), x);
    else
      return hn::Log1p(d, x);
  }
  template <class T>
  static T plain(T x) {
    return std::log1p(x);
  }
};
struct Sin {
  static constexpr bool kCheckedFloat = true;
  template <class T>
  static constexpr T low() {
    return -kLargestAngle;
  }
  template <class T>
  static constexpr T high() {
    return kLargestAngle;
  }
  template <class D, class V>
  static V vector(D d, V x) {
    if constexpr (kIsFloat<D>)
      return float_sin(FloatArithmetic<D>(), x);
    else
      return hn::Sin(d, x);
  }
  template <class T>
  static T plain(T x) {
    return std::sin(x);
  }
};
struct Cos : Sin {
  template <class D, class V>
  static V vector(D d, V x) {
    if constexpr (kIsFloat<D>)
      return float_cos(FloatArithmetic<D>(), x);
    else
      return hn::Cos(d, x);
  }
  template <class T>
  static T plain(T x) {
    return std::cos(x);
  }
};
struct Tan : Sin {
  template <class D, class V>
  static V vector(D d, V x) {
    if constexpr (kIsFloat<D>)
      return float_tan(FloatArithmetic<D>(), x);
    else
      return hn::Div(hn::Sin(d, x), hn::Cos(d, x));
  }
  template <class T>
  static T plain(T x) {
    return std::tan(x);
  }
};
struct Tanh {
  static constexpr bool kCheckedFloat = false;
  template <class T>
  static constexpr T low() {
    return std::numeric_limits<T>::lowest();
  }
  template <class T>
  static constexpr T high() {
    return std::numeric_limits<T>::max();
  }
  template <class D, class V>
  static V vector(D d, V x) {
    if constexpr (kIsFloat<D>)
      return float_tanh(FloatArithmetic<D>(), x);
    else
      return hn::Tanh(d, x);
  }
  template <class T>
  static T plain(T x) {
    return std::tanh(x);
  }
};

/// The polynomial with these coefficients, the constant first.
template <class D, size_t kCount, class V = hn::Vec<D>>
V polynomial(D d, V x, const double (&coefficients)[kCount]) {
  using T = hn::TFromD<D>;
  V sum = hn::Set(d, static_cast<T>(coefficients[kCount - 1]));
  for (size_t i = kCount - 1; i-- > 0;)
    sum = hn::MulAdd(sum, x, hn::Set(d, static_cast<T>(coefficients[i])));
  return sum;
}

/// Minimax fits of our own, made with 60 digits.
struct Erf : Tanh {
  /// erf(x) / x as a function of x^2 up to 1, as a quotient; error 7e-19.
  static constexpr double kSmallTop[] = {1.1283791670955125747,    0.14350672650420168794,
                                         0.045483621679217308551,  0.0018774135620688563033,
                                         0.0001968848284701094338, 7.7721404620954042993e-8};
  static constexpr double kSmallBottom[] = {1,
                                            0.46051285834494199418,
                                            0.093813096314202280921,
                                            0.010693084528803751012,
                                            0.00069249874905352509893,
                                            0.000020810281648119020663};
  /// exp(x^2) * (1 - erf(x)) for x from 1 to 6, where double's erf has become 1; error 1.6e-18.
  static constexpr double kLargeTop[] = {0.99999999238263981998,  1.8450801268692829869,
                                         1.6788355572987358731,   0.94586748099941727477,
                                         0.35300027130445489818,  0.087295154435008031956,
                                         0.013373415787649093599, 0.0010074020195847395595};
  static constexpr double kLargeBottom[] = {1,
                                            2.9734592107851718623,
                                            4.0340254221845799537,
                                            3.2765698154359974276,
                                            1.7529845509345821024,
                                            0.637527997904226676,
                                            0.15561945029247080225,
                                            0.023703761263498834316,
                                            0.0017855736059541749715};

  template <class D, class V>
  static V vector(D d, V x) {
    if constexpr (kIsFloat<D>) {
      return float_erf(FloatArithmetic<D>(), x);
    } else {
      const V one = hn::Set(d, 1);
      const V a = hn::Min(hn::Abs(x), hn::Set(d, 6));
      const V t = hn::Mul(a, a);
      const auto is_small = hn::Lt(a, one);
      const V small_or_one = hn::IfThenElse(is_small, t, one);
      const V small = hn::Mul(a, hn::Div(polynomial(d, small_or_one, kSmallTop),
                                         polynomial(d, small_or_one, kSmallBottom)));
      const V rest = hn::Mul(hn::Exp(d, hn::Neg(t)),
                             hn::Div(polynomial(d, a, kLargeTop), polynomial(d, a, kLargeBottom)));
      return hn::CopySign(hn::IfThenElse(is_small, small, hn::Sub(one, rest)), x);
    }
  }
  template <class T>
  static T plain(T x) {
    return std::erf(x);
  }
};

/// One vector of results, with the lanes that `F::vector` does not take mended.
template <class F, class D, class V = hn::Vec<D>>
HWY_NOINLINE V evaluate(D d, V x) {
  using T = hn::TFromD<D>;
  if constexpr (kIsFloat<D> && !F::kCheckedFloat) return F::vector(d, x);
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

/// Eight or fewer powers of floats, in double, since float's own precision would not do for large
/// exponents. Whether all of them could be computed: not where x is 0 or anything is not finite,
/// nor where the result is beyond float's range.
template <class D, class V = hn::Vec<D>>
bool float_powers(D d, V x, V y, V* result) {
  const V magnitude = hn::Abs(x);
  const V exponent = hn::Mul(y, hn::Log(d, magnitude));
  const auto valid = hn::And(
      hn::And(hn::Gt(magnitude, hn::Set(d, 0)), hn::Le(magnitude, hn::Set(d, 3.5e38))),
      hn::And(hn::Le(hn::Abs(exponent), hn::Set(d, 87)), hn::Le(hn::Abs(y), hn::Set(d, 3.5e38))));
  if (!hn::AllTrue(d, valid)) return false;
  const V power = hn::Exp(d, exponent);
  const auto negative = hn::Lt(x, hn::Set(d, 0));
  if (hn::AllFalse(d, negative)) {
    *result = power;
    return true;
  }
  // Of a negative number, odd powers are negative, and those that are no integers NaN.
  const V half = hn::Mul(y, hn::Set(d, 0.5));
  const auto odd = hn::Ne(hn::Floor(half), half);
  const auto whole = hn::Eq(hn::Floor(y), y);
  const V nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
  const V of_negative = hn::IfThenElse(whole, hn::IfThenElse(odd, hn::Neg(power), power), nan);
  *result = hn::IfThenElse(negative, of_negative, power);
  return true;
}

template <class T>
void pow(void* out, const void* const* operands, uint32_t uniform, int64_t n, uint32_t*) {
  auto* o = static_cast<T*>(out);
  const auto* a = static_cast<const T*>(operands[0]);
  const auto* b = static_cast<const T*>(operands[1]);
  const int64_t step_a = uniform & 1 ? 0 : 1, step_b = uniform & 2 ? 0 : 1;
  if (uniform == 2 && *b == 2) {  // by far the most frequent power
    for (int64_t i = 0; i < n; ++i) o[i] = a[i] * a[i];
    return;
  }
  int64_t i = 0;
  if constexpr (sizeof(T) == 4) {
    const hn::ScalableTag<double> dd;
    const hn::Rebind<float, decltype(dd)> df;
    const auto lanes = static_cast<int64_t>(hn::Lanes(dd));
    for (; i + lanes <= n; i += lanes) {
      const auto x = hn::PromoteTo(dd, step_a ? hn::LoadU(df, a + i) : hn::Set(df, *a));
      const auto y = hn::PromoteTo(dd, step_b ? hn::LoadU(df, b + i) : hn::Set(df, *b));
      auto power = x;
      if (float_powers(dd, x, y, &power))
        hn::StoreU(hn::DemoteTo(df, power), df, o + i);
      else
        for (int64_t k = i; k < i + lanes; ++k) o[k] = std::pow(a[k * step_a], b[k * step_b]);
    }
  }
  for (; i < n; ++i) o[i] = std::pow(a[i * step_a], b[i * step_b]);
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
    case Opcode::kErf: return map<Erf, T>;
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
