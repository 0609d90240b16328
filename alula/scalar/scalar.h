#pragma once
#include <cmath>
#include <concepts>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "alula/scalar/program.h"

/// Scalar programs are written as function templates over a number type, in this namespace:
///   template <class T> T silu(T x) { return x / (1 + exp(-x)); }
/// Called with a Scalar, such a function records the program instead of computing. There is no `if`
/// on values: `select` chooses.
namespace alula::scalar {

/// A number that is not there yet: a value of the program being recorded.
class Scalar {
 public:
  uint16_t position() const { return position_; }
  DType dtype() const;

 private:
  friend class Builder;
  explicit Scalar(uint16_t position) : position_(position) {}
  uint16_t position_;
};

/// Whether instructions are recorded as they come, or made simpler first: x * 1 is x.
enum class Recording : uint8_t { kPlain, kSimplified };

/// Records the instructions of one program. While it lives, Scalars of its thread belong to it.
class Builder {
 public:
  explicit Builder(Recording recording = Recording::kPlain);
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  Scalar input(DType dtype);
  Scalar parameter(DType dtype);
  /// `value` as a constant of `dtype`.
  Scalar constant(DType dtype, double value);
  Scalar emit(Opcode opcode, DType dtype, std::initializer_list<Scalar> operands);
  /// Adds an instruction, or finds the same one among those before.
  Scalar add(const Instruction& instruction);
  const std::vector<Instruction>& code() const { return code_; }
  DType dtype_of(Scalar value) const { return code_[value.position()].dtype; }
  /// The instruction that makes a value.
  const Instruction& operator[](Scalar value) const { return code_[value.position()]; }
  /// The value of an instruction's operand.
  Scalar operand(Scalar value, int k) const { return Scalar((*this)[value].operands[k]); }

  std::unique_ptr<Program> finish(std::string name, std::span<const Scalar> results,
                                  const GivenGradient& gradient = {});

  /// The builder of this thread; recording must be under way.
  static Builder& current();

 private:
  std::vector<Instruction> code_;
  Recording recording_;
  int inputs_ = 0;
  int parameters_ = 0;
  Builder* outer_;
};

/// A constant of the same dtype as `like`.
Scalar constant_like(Scalar like, double value);

inline Scalar operator-(Scalar x) { return Builder::current().emit(Opcode::kNeg, x.dtype(), {x}); }
inline Scalar operator!(Scalar x) { return Builder::current().emit(Opcode::kNot, boolean, {x}); }

Scalar binary(Opcode opcode, Scalar a, Scalar b);
Scalar compare(Opcode opcode, Scalar a, Scalar b);

inline Scalar operator+(Scalar a, Scalar b) { return binary(Opcode::kAdd, a, b); }
inline Scalar operator-(Scalar a, Scalar b) { return binary(Opcode::kSub, a, b); }
inline Scalar operator*(Scalar a, Scalar b) { return binary(Opcode::kMul, a, b); }
inline Scalar operator/(Scalar a, Scalar b) { return binary(Opcode::kDiv, a, b); }
inline Scalar operator==(Scalar a, Scalar b) { return compare(Opcode::kEqual, a, b); }
inline Scalar operator!=(Scalar a, Scalar b) { return compare(Opcode::kNotEqual, a, b); }
inline Scalar operator<(Scalar a, Scalar b) { return compare(Opcode::kLess, a, b); }
inline Scalar operator<=(Scalar a, Scalar b) { return compare(Opcode::kLessEqual, a, b); }
inline Scalar operator>(Scalar a, Scalar b) { return b < a; }
inline Scalar operator>=(Scalar a, Scalar b) { return b <= a; }
inline Scalar operator&&(Scalar a, Scalar b) { return binary(Opcode::kAnd, a, b); }
inline Scalar operator||(Scalar a, Scalar b) { return binary(Opcode::kOr, a, b); }

/// A C++ number beside a Scalar is a constant of its dtype.
template <class T>
concept PlainNumber = std::is_arithmetic_v<T>;

#define ALULA_SCALAR_WITH_NUMBER(op)                      \
  template <PlainNumber N>                                \
  Scalar operator op(Scalar a, N b) {                     \
    return a op constant_like(a, static_cast<double>(b)); \
  }                                                       \
  template <PlainNumber N>                                \
  Scalar operator op(N a, Scalar b) {                     \
    return constant_like(b, static_cast<double>(a)) op b; \
  }
ALULA_SCALAR_WITH_NUMBER(+)
ALULA_SCALAR_WITH_NUMBER(-)
ALULA_SCALAR_WITH_NUMBER(*)
ALULA_SCALAR_WITH_NUMBER(/)
ALULA_SCALAR_WITH_NUMBER(==)
ALULA_SCALAR_WITH_NUMBER(!=)
ALULA_SCALAR_WITH_NUMBER(<)
ALULA_SCALAR_WITH_NUMBER(<=)
ALULA_SCALAR_WITH_NUMBER(>)
ALULA_SCALAR_WITH_NUMBER(>=)
#undef ALULA_SCALAR_WITH_NUMBER

/// The mathematical functions, for Scalars; for plain numbers they are the standard library's.
using std::abs, std::sqrt, std::exp, std::expm1, std::log, std::log1p, std::sin, std::cos, std::tan,
    std::tanh, std::erf, std::floor, std::ceil, std::pow;

inline Scalar unary(Opcode opcode, Scalar x) {
  return Builder::current().emit(opcode, x.dtype(), {x});
}
inline Scalar abs(Scalar x) { return unary(Opcode::kAbs, x); }
inline Scalar sqrt(Scalar x) { return unary(Opcode::kSqrt, x); }
inline Scalar exp(Scalar x) { return unary(Opcode::kExp, x); }
inline Scalar expm1(Scalar x) { return unary(Opcode::kExpm1, x); }
inline Scalar log(Scalar x) { return unary(Opcode::kLog, x); }
inline Scalar log1p(Scalar x) { return unary(Opcode::kLog1p, x); }
inline Scalar sin(Scalar x) { return unary(Opcode::kSin, x); }
inline Scalar cos(Scalar x) { return unary(Opcode::kCos, x); }
inline Scalar tan(Scalar x) { return unary(Opcode::kTan, x); }
inline Scalar tanh(Scalar x) { return unary(Opcode::kTanh, x); }
inline Scalar erf(Scalar x) { return unary(Opcode::kErf, x); }
inline Scalar floor(Scalar x) { return unary(Opcode::kFloor, x); }
inline Scalar ceil(Scalar x) { return unary(Opcode::kCeil, x); }
inline Scalar pow(Scalar a, Scalar b) { return binary(Opcode::kPow, a, b); }

/// To the nearest integer, halves to even.
inline Scalar round_to_even(Scalar x) { return unary(Opcode::kRound, x); }
template <std::floating_point T>
T round_to_even(T x) {
  return std::nearbyint(x);
}

/// The quotient rounded down.
inline Scalar floor_divide(Scalar a, Scalar b) { return binary(Opcode::kFloorDiv, a, b); }
/// The remainder of floor_divide.
inline Scalar floor_modulo(Scalar a, Scalar b) { return binary(Opcode::kMod, a, b); }

/// The smaller or larger; NaN if one is NaN.
inline Scalar min(Scalar a, Scalar b) { return binary(Opcode::kMin, a, b); }
inline Scalar max(Scalar a, Scalar b) { return binary(Opcode::kMax, a, b); }
template <PlainNumber N>
Scalar min(Scalar a, N b) {
  return min(a, constant_like(a, static_cast<double>(b)));
}
template <PlainNumber N>
Scalar max(Scalar a, N b) {
  return max(a, constant_like(a, static_cast<double>(b)));
}

/// The polynomial with these coefficients, the constant first.
template <class T, size_t kCount>
T polynomial(T x, const double (&coefficients)[kCount]) {
  T sum = coefficients[kCount - 1] * x + coefficients[kCount - 2];
  for (size_t i = kCount - 2; i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

/// condition ? a : b
Scalar select(Scalar condition, Scalar a, Scalar b);
template <PlainNumber N>
Scalar select(Scalar condition, Scalar a, N b) {
  return select(condition, a, constant_like(a, static_cast<double>(b)));
}
template <PlainNumber N>
Scalar select(Scalar condition, N a, Scalar b) {
  return select(condition, constant_like(b, static_cast<double>(a)), b);
}
template <PlainNumber N>
N select(bool condition, N a, N b) {
  return condition ? a : b;
}

/// x in another dtype.
Scalar cast(Scalar x, DType dtype);

}  // namespace alula::scalar

namespace alula {
using scalar::Scalar;
}
