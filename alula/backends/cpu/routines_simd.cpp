// The arithmetic: plain loops that the compiler vectorises, once for each instruction set.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <type_traits>

#include "alula/backends/cpu/routines.h"
#include "alula/backends/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "alula/backends/cpu/routines_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

using scalar::Opcode;

// The compiler does not vectorise loops that read bools, so these are read as bytes that are 0
// or 1.

/// Integers wrap around, as in NumPy; in C++ only unsigned ones do.
template <class T>
using Wrapping = typename std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>,
                                             std::make_unsigned<T>, std::type_identity<T>>::type;

struct Neg {
  template <class T>
  T operator()(T x) const {
    return static_cast<T>(Wrapping<T>(0) - static_cast<Wrapping<T>>(x));
  }
  float operator()(float x) const { return -x; }
  double operator()(double x) const { return -x; }
};
struct Abs {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::abs(x);
    else
      return x < 0 ? Neg()(x) : x;
  }
};
struct Sqrt {
  template <class T>
  T operator()(T x) const {
    return std::sqrt(x);
  }
};
struct Floor {
  template <class T>
  T operator()(T x) const {
    return std::floor(x);
  }
};
struct Ceil {
  template <class T>
  T operator()(T x) const {
    return std::ceil(x);
  }
};
struct Round {
  template <class T>
  T operator()(T x) const {
    return std::nearbyint(x);
  }
};
struct Not {
  uint8_t operator()(uint8_t x) const { return x ^ 1; }
};

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
  }
};
struct Mul {
  template <class T>
  T operator()(T a, T b) const {
    // 16-bit operands would be promoted to int, which can overflow.
    using W = std::conditional_t<sizeof(T) == 2, uint32_t, Wrapping<T>>;
    if constexpr (std::is_floating_point_v<T>)
      return a * b;
    else
      return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
  }
};
struct Div {
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
};
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};
struct Equal {
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct NotEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a != b;
  }
};
struct Less {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
};
struct And {
  bool operator()(bool a, bool b) const { return a & b; }
};
struct Or {
  bool operator()(bool a, bool b) const { return a | b; }
};

/// Operations that some operands are no good for: they note it and yield 0.
struct FloorDiv {
  template <class T>
  T operator()(T a, T b, uint32_t& faults) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::floor(a / b);
    } else {
      if (b == 0) {
        faults |= kDivisionByZero;
        return 0;
      }
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Neg()(a);  // the minimum overflows
      const T quotient = static_cast<T>(a / b);
      return static_cast<T>(quotient - (a % b != 0 && (a < 0) != (b < 0)));
    }
  }
};
struct Mod {
  template <class T>
  T operator()(T a, T b, uint32_t& faults) const {
    if constexpr (std::is_floating_point_v<T>) {
      const T remainder = std::fmod(a, b);
      return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
    } else {
      if (b == 0) {
        faults |= kDivisionByZero;
        return 0;
      }
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
      const T remainder = static_cast<T>(a % b);
      return static_cast<T>(remainder != 0 && (a < 0) != (b < 0) ? remainder + b : remainder);
    }
  }
};
struct IntegerPow {
  template <class T>
  T operator()(T base, T exponent, uint32_t& faults) const {
    if (exponent < 0) {
      faults |= kNegativePower;
      return 0;
    }
    T result = 1;
    for (T power = base; exponent != 0; exponent = static_cast<T>(exponent / 2)) {
      if (exponent % 2 != 0) result = Mul()(result, power);
      power = Mul()(power, power);
    }
    return result;
  }
};

/// x in another type: what does not fit goes to the nearest limit, NaN to 0.
template <class From, class To>
To convert(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != 0;
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    constexpr auto kLow = static_cast<From>(std::numeric_limits<To>::min());
    constexpr auto kHigh = static_cast<From>(std::numeric_limits<To>::max());
    // The limit itself may round up to a value that no longer fits.
    const To inside = x > kLow && x < kHigh ? static_cast<To>(x) : To{0};
    return x <= kLow    ? std::numeric_limits<To>::min()
           : x >= kHigh ? std::numeric_limits<To>::max()
                        : inside;
  } else if constexpr (std::is_floating_point_v<From> && !std::is_arithmetic_v<To>) {
    return To(static_cast<float>(x));
  } else {
    return static_cast<To>(x);
  }
}
template <class From, class To>
struct Convert {
  To operator()(From x) const {
    if constexpr (std::is_arithmetic_v<From>)
      return convert<From, To>(x);
    else
      return convert<float, To>(static_cast<float>(x));  // 16-bit floats
  }
};

template <class F, class T, class R>
void unary(void* out, const void* const* operands, uint32_t uniform, int64_t n, uint32_t*) {
  auto* o = static_cast<R*>(out);
  const auto* a = static_cast<const T*>(operands[0]);
  if (uniform != 0) {
    std::fill_n(o, n, F()(*a));
    return;
  }
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) o[i] = F()(a[i]);
}

template <class F, class T, class R>
void binary(void* out, const void* const* operands, uint32_t uniform, int64_t n, uint32_t*) {
  auto* o = static_cast<R*>(out);
  const auto* a = static_cast<const T*>(operands[0]);
  const auto* b = static_cast<const T*>(operands[1]);
  if (uniform == 0) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) o[i] = F()(a[i], b[i]);
  } else if (uniform == 1) {
    const T x = *a;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) o[i] = F()(x, b[i]);
  } else if (uniform == 2) {
    const T y = *b;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) o[i] = F()(a[i], y);
  } else {
    std::fill_n(o, n, F()(*a, *b));
  }
}

template <class F, class T>
void checked(void* out, const void* const* operands, uint32_t uniform, int64_t n,
             uint32_t* faults) {
  auto* o = static_cast<T*>(out);
  const auto* a = static_cast<const T*>(operands[0]);
  const auto* b = static_cast<const T*>(operands[1]);
  const int64_t step_a = uniform & 1 ? 0 : 1, step_b = uniform & 2 ? 0 : 1;
  uint32_t found = 0;
  for (int64_t i = 0; i < n; ++i) o[i] = F()(a[i * step_a], b[i * step_b], found);
  *faults |= found;
}

/// Selection needs no arithmetic, so it works on unsigned words of the right size.
template <class T, bool kOneA, bool kOneB>
void choose(T* out, const uint8_t* c, const T* a, const T* b, int64_t n) {
  const T x = *a, y = *b;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T yes = kOneA ? x : a[i], no = kOneB ? y : b[i];
    out[i] = c[i] != 0 ? yes : no;
  }
}

template <class T>
void select(void* out, const void* const* operands, uint32_t uniform, int64_t n, uint32_t*) {
  auto* o = static_cast<T*>(out);
  const auto* c = static_cast<const uint8_t*>(operands[0]);
  const auto* a = static_cast<const T*>(operands[1]);
  const auto* b = static_cast<const T*>(operands[2]);
  if (uniform & 1) {
    const bool first = *c != 0;
    const T* chosen = first ? a : b;
    if (uniform & (first ? 2 : 4))
      std::fill_n(o, n, *chosen);
    else
      std::memmove(o, chosen, n * sizeof(T));
    return;
  }
  switch (uniform >> 1) {
    case 0: return choose<T, false, false>(o, c, a, b, n);
    case 1: return choose<T, true, false>(o, c, a, b, n);
    case 2: return choose<T, false, true>(o, c, a, b, n);
    default: return choose<T, true, true>(o, c, a, b, n);
  }
}

template <class T>
Routine find_for(Opcode opcode) {
  constexpr bool kFloat = std::is_floating_point_v<T>;
  constexpr bool kBool = std::is_same_v<T, bool>;
  switch (opcode) {
    case Opcode::kEqual: return binary<Equal, T, bool>;
    case Opcode::kNotEqual: return binary<NotEqual, T, bool>;
    default: break;
  }
  if constexpr (kBool) {
    switch (opcode) {
      case Opcode::kNot: return unary<Not, uint8_t, uint8_t>;
      case Opcode::kAnd: return binary<And, bool, bool>;
      case Opcode::kOr: return binary<Or, bool, bool>;
      default: return nullptr;
    }
  } else {
    switch (opcode) {
      case Opcode::kNeg: return unary<Neg, T, T>;
      case Opcode::kAbs: return unary<Abs, T, T>;
      case Opcode::kAdd: return binary<Add, T, T>;
      case Opcode::kSub: return binary<Sub, T, T>;
      case Opcode::kMul: return binary<Mul, T, T>;
      case Opcode::kMin: return binary<Min, T, T>;
      case Opcode::kMax: return binary<Max, T, T>;
      case Opcode::kLess: return binary<Less, T, bool>;
      case Opcode::kLessEqual: return binary<LessEqual, T, bool>;
      case Opcode::kFloorDiv: return checked<FloorDiv, T>;
      case Opcode::kMod: return checked<Mod, T>;
      default: break;
    }
    if constexpr (kFloat) {
      switch (opcode) {
        case Opcode::kSqrt: return unary<Sqrt, T, T>;
        case Opcode::kFloor: return unary<Floor, T, T>;
        case Opcode::kCeil: return unary<Ceil, T, T>;
        case Opcode::kRound: return unary<Round, T, T>;
        case Opcode::kDiv: return binary<Div, T, T>;
        default: return nullptr;
      }
    } else {
      switch (opcode) {
        case Opcode::kPow: return checked<IntegerPow, T>;
        case Opcode::kFloor:
        case Opcode::kCeil:
        case Opcode::kRound: return unary<Convert<T, T>, T, T>;
        default: return nullptr;
      }
    }
  }
}

Routine FindSelect(DType dtype) {
  switch (size_of(dtype)) {
    case 1: return select<uint8_t>;
    case 2: return select<uint16_t>;
    case 4: return select<uint32_t>;
    default: return select<uint64_t>;
  }
}

Routine FindCast(DType from, DType to) {
  if (from == boolean && to != boolean) from = uint8;  // the same bytes, in a type that vectorises
  return with_type(from, [to]<class From>(Type<From>) {
    return with_type(
        to, []<class To>(Type<To>) -> Routine { return unary<Convert<From, To>, From, To>; });
  });
}

Routine Find(Opcode opcode, DType operand, DType result) {
  if (opcode == Opcode::kCast) return FindCast(operand, result);
  if (opcode == Opcode::kSelect) return FindSelect(result);
  if (is_half(operand)) return nullptr;  // programs compute these in float32
  return with_type(operand, [opcode]<class T>(Type<T>) -> Routine {
    if constexpr (std::is_arithmetic_v<T>)
      return find_for<T>(opcode);
    else
      return nullptr;
  });
}

void StreamCopy(void* to, const void* from, int64_t bytes) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<uint8_t> d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  auto* o = static_cast<uint8_t*>(to);
  const auto* a = static_cast<const uint8_t*>(from);
  int64_t i = 0;
  for (; i + step <= bytes; i += step) hn::Stream(hn::LoadU(d, a + i), d, o + i);
  std::memcpy(o + i, a + i, bytes - i);
}

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alula::cpu {

HWY_EXPORT(Find);
HWY_EXPORT(StreamCopy);

Routine find_math_routine(scalar::Opcode opcode, DType operand);

Routine find_routine(scalar::Opcode opcode, DType operand, DType result) {
  if (Routine found = HWY_DYNAMIC_DISPATCH(Find)(opcode, operand, result)) return found;
  return find_math_routine(opcode, operand);
}

void stream_copy(void* to, const void* from, int64_t bytes) {
  HWY_DYNAMIC_DISPATCH(StreamCopy)(to, from, bytes);
}

// Measured on tiles in the first-level cache, with AVX-512.
double routine_cost(scalar::Opcode opcode, DType operand) {
  using scalar::Opcode;
  const double width = static_cast<double>(size_of(operand));
  const bool floating = is_floating(operand);
  switch (opcode) {
    case Opcode::kExp:
    case Opcode::kExpm1:
    case Opcode::kLog:
    case Opcode::kLog1p:
    case Opcode::kSin:
    case Opcode::kCos: return 0.13 * width;
    case Opcode::kTan:
    case Opcode::kTanh: return 0.2 * width;
    case Opcode::kErf: return operand == float64 ? 2.3 : 0.45;
    case Opcode::kPow: return operand == float64 ? 10 : floating ? 2.9 : 1.8;
    case Opcode::kMod: return floating ? 4.3 : 1.8;
    case Opcode::kFloorDiv: return floating ? 0.3 : 1.8;
    case Opcode::kSqrt: return 0.05 * width;
    case Opcode::kDiv: return 0.03 * width;
    case Opcode::kCast: return is_half(operand) ? 0.3 : 0.03 * width;
    default: return 0.01 * width;
  }
}

}  // namespace alula::cpu
#endif
