#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
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

/// A program prepared for a type of device: what that backend makes of it, kept with the program.
class Prepared {
 public:
  virtual ~Prepared() = default;
};

/// A function of a few numbers, as a list of instructions: what an elementwise op computes for each
/// element. Never changed once made.
class Program {
 public:
  Program(std::string name, std::vector<Instruction> code, std::vector<uint16_t> results);
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
  std::string name_;
  std::vector<Instruction> code_;
  std::vector<uint16_t> results_;
  std::vector<DType> inputs_;
  int parameter_count_ = 0;
  bool can_fail_ = false;
  mutable std::array<std::atomic<Prepared*>, kDeviceTypeCount> prepared_{};
};

}  // namespace alula::scalar
