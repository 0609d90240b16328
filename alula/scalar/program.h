#pragma once
#include <array>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alula/core/device.h"
#include "alula/core/dtype.h"

namespace alula::scalar {

/// What one instruction of a scalar program does. `a`, `b`, `c` are its operands.
enum class Opcode : uint8_t {
  kInput,      // the element of an input tensor
  kParameter,  // a number given with each call
  kConstant,
  kCast,  // a, in another dtype: float to integer saturates, NaN becomes 0
  // one operand
  kNeg,
  kAbs,
  kSqrt,
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kSin,
  kCos,
  kTan,
  kTanh,
  kErf,
  kFloor,
  kCeil,
  kRound,  // half to even
  kNot,
  // two
  kAdd,
  kSub,
  kMul,
  kDiv,       // floating only
  kFloorDiv,  // rounded down
  kMod,       // with the divisor's sign
  kPow,
  kMin,  // NaN if one is
  kMax,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kAnd,
  kOr,
  // three
  kSelect,  // a ? b : c
};

inline constexpr int kOpcodeCount = static_cast<int>(Opcode::kSelect) + 1;

std::string_view name_of(Opcode opcode);
/// The number of values an instruction reads.
int operand_count(Opcode opcode);

/// One step: `dtype` is its result's. Operands are positions of earlier instructions.
struct Instruction {
  Opcode opcode;
  DType dtype;
  std::array<uint16_t, 3> operands{};
  int64_t index = 0;    // which input or parameter
  double number = 0;    // a constant of a floating dtype
  int64_t integer = 0;  // a constant of another

  bool operator==(const Instruction&) const = default;
};

class Scalar;

/// The gradient with respect to one input, as a function of Scalars: of the inputs, the output, the
/// gradient dy with respect to the output, and the parameters, in this order.
class GradientFunction {
 public:
  constexpr GradientFunction() : f3_(nullptr) {}
  constexpr GradientFunction(Scalar (*f)(Scalar, Scalar, Scalar)) : arity_(3), f3_(f) {}
  constexpr GradientFunction(Scalar (*f)(Scalar, Scalar, Scalar, Scalar)) : arity_(4), f4_(f) {}
  constexpr GradientFunction(Scalar (*f)(Scalar, Scalar, Scalar, Scalar, Scalar))
      : arity_(5), f5_(f) {}

  explicit operator bool() const { return arity_ > 0; }
  Scalar operator()(std::span<const Scalar> arguments) const;

 private:
  size_t arity_ = 0;
  union {
    Scalar (*f3_)(Scalar, Scalar, Scalar);
    Scalar (*f4_)(Scalar, Scalar, Scalar, Scalar);
    Scalar (*f5_)(Scalar, Scalar, Scalar, Scalar, Scalar);
  };
};

/// What is said of a function's gradient: one function an input where differentiating would be
/// unstable or would not be TensorFlow's convention, or that there is none. By default nothing.
class GivenGradient {
 public:
  constexpr GivenGradient() = default;
  template <class... F>
    requires(std::convertible_to<F, GradientFunction> && ...)
  constexpr GivenGradient(F... functions) : functions_{GradientFunction(functions)...} {}
  static constexpr GivenGradient none() {
    GivenGradient given;
    given.none_ = true;
    return given;
  }

  bool is_none() const { return none_; }
  const GradientFunction& operator[](size_t input) const { return functions_[input]; }

 private:
  std::array<GradientFunction, 3> functions_{};
  bool none_ = false;
};

struct Gradient;

/// A program prepared for a type of device: what that backend makes of it, kept with the program.
class Prepared {
 public:
  virtual ~Prepared() = default;
};

/// A function of a few numbers, as a list of instructions: what an elementwise op computes for each
/// element. Never changed once made.
class Program {
 public:
  Program(std::string name, std::vector<Instruction> code, std::vector<uint16_t> results,
          const GivenGradient& gradient = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const std::string& name() const { return name_; }
  const std::vector<Instruction>& code() const { return code_; }
  /// Positions of the instructions whose values are the outputs.
  const std::vector<uint16_t>& results() const { return results_; }
  const std::vector<DType>& inputs() const { return inputs_; }
  int parameter_count() const { return parameter_count_; }
  DType output(int i = 0) const { return code_[results_[i]].dtype; }
  /// Whether an element can be wrong in itself: an integer division by zero, a negative power.
  bool can_fail() const { return can_fail_; }

  const GivenGradient& given_gradient() const { return given_gradient_; }

  /// One instruction a line: "%2 = add float32 %0 %1".
  std::string str() const;

  /// What a backend made of this program; `make` makes it the first time.
  template <class Make>
  const Prepared& prepared(DeviceType type, Make&& make) const {
    std::atomic<Prepared*>& slot = prepared_[static_cast<int>(type)];
    if (Prepared* found = slot.load(std::memory_order_acquire)) [[likely]]
      return *found;
    std::unique_ptr<Prepared> made = make(*this);
    Prepared* expected = nullptr;
    if (slot.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel))
      return *made.release();
    return *expected;
  }

 private:
  friend const Gradient& gradient_of(const Program& program, uint64_t wanted);

  std::string name_;
  std::vector<Instruction> code_;
  std::vector<uint16_t> results_;
  std::vector<DType> inputs_;
  int parameter_count_ = 0;
  bool can_fail_ = false;
  GivenGradient given_gradient_;
  mutable std::array<std::atomic<Prepared*>, kDeviceTypeCount> prepared_{};
  mutable std::atomic<Gradient*> gradients_{};  // a list of those made so far
};

}  // namespace alula::scalar
