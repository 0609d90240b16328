#include "alula/backends/cpu/jit_test.h"
#include "alula/scalar/scalar.h"

using namespace alula;
using namespace alula::cpu::testing;
using namespace alula::scalar;

namespace {

/// A random function of random inputs.
class RandomProgram {
 public:
  RandomProgram(Random& random, int length) : random_(random) {
    const int inputs = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < inputs; ++i) {
      static constexpr DType kTypes[] = {float32, float32, float32, float16, bfloat16,
                                         boolean, int32,   uint8,   int8};
      keep(builder_.input(i == 0 ? float32 : kTypes[random() % std::size(kTypes)]));
    }
    if (random() % 2 == 0) keep(builder_.parameter(float32));
    keep(builder_.constant(float32, static_cast<double>(random() % 7) - 2));
    for (int i = 0; i < length; ++i) keep(step());
    std::vector<Scalar> results;
    for (size_t i = 0; i < 1 + random() % 3; ++i) results.push_back(pick_result());
    program_ = builder_.finish("random", results);
  }
  const Program& operator*() const { return *program_; }

 private:
  void keep(Scalar value) {
    const DType dtype = value.dtype();
    (dtype == float32   ? floats_
     : dtype == boolean ? truths_
     : dtype == int32   ? integers_
                        : others_)
        .push_back(value);
  }
  /// Mostly one of the last.
  Scalar pick(const std::vector<Scalar>& from) {
    const size_t last = random_() % 3 == 0 ? from.size() : std::min<size_t>(from.size(), 4);
    return from[from.size() - 1 - random_() % last];
  }
  Scalar pick_result() {
    if (!truths_.empty() && random_() % 6 == 0) return pick(truths_);
    if (!integers_.empty() && random_() % 6 == 0) return pick(integers_);
    if (random_() % 8 == 0) return cast(pick(floats_), random_() % 2 == 0 ? float16 : bfloat16);
    return pick(floats_);
  }
  Scalar step() {
    static constexpr Opcode kUnary[] = {
        Opcode::kNeg,   Opcode::kAbs,  Opcode::kSqrt, Opcode::kExp,   Opcode::kExpm1,
        Opcode::kLog,   Opcode::kTanh, Opcode::kErf,  Opcode::kSin,   Opcode::kCos,
        Opcode::kLog1p, Opcode::kTan,  Opcode::kCeil, Opcode::kFloor, Opcode::kRound};
    static constexpr Opcode kBinary[] = {Opcode::kAdd, Opcode::kSub, Opcode::kMul,     Opcode::kDiv,
                                         Opcode::kMin, Opcode::kMax, Opcode::kFloorDiv};
    static constexpr Opcode kCompare[] = {Opcode::kEqual, Opcode::kNotEqual, Opcode::kLess,
                                          Opcode::kLessEqual};
    const auto any = [this](const auto& codes) { return codes[random_() % std::size(codes)]; };
    const Scalar x = pick(floats_), y = pick(floats_);
    switch (random_() % 12) {
      case 0: return unary(any(kUnary), x);
      case 1: return compare(any(kCompare), x, y);
      case 2:
        if (truths_.empty()) break;
        return select(pick(truths_), x, y);
      case 3: {
        if (truths_.empty()) break;
        const Scalar a = pick(truths_), b = pick(truths_);
        static constexpr Opcode kLogic[] = {Opcode::kAnd, Opcode::kOr, Opcode::kEqual,
                                            Opcode::kNotEqual};
        return random_() % 4 == 0   ? !a
               : random_() % 5 == 0 ? select(a, b, !b)
                                    : compare(any(kLogic), a, b);
      }
      case 4:
        switch (random_() % 4) {
          case 0: return cast(x, int32);
          case 1: return cast(x, boolean);
          case 2: return cast(cast(x, float16), float32);
          default: return cast(cast(x, bfloat16), float32);
        }
      case 5:
        if (others_.empty()) break;
        return cast(pick(others_), random_() % 3 == 0 ? int32 : float32);
      case 6: {
        if (integers_.empty()) break;
        static constexpr Opcode kInteger[] = {Opcode::kAdd, Opcode::kSub, Opcode::kMul,
                                              Opcode::kMin, Opcode::kMax};
        const Scalar a = pick(integers_), b = pick(integers_);
        switch (random_() % 5) {
          case 0: return compare(any(kCompare), a, b);
          case 1: return unary(random_() % 2 == 0 ? Opcode::kNeg : Opcode::kAbs, a);
          case 2: return cast(a, random_() % 2 == 0 ? float32 : boolean);
          default: return binary(any(kInteger), a, b);
        }
      }
      default: break;
    }
    return binary(any(kBinary), x, y);
  }

  Builder builder_;
  Random& random_;
  std::vector<Scalar> floats_, truths_, integers_, others_;
  std::unique_ptr<Program> program_;
};

}  // namespace

TEST(Jit, ComputesRandomPrograms) {
  SKIP_WITHOUT_MACHINE_CODE();
  Random random(3);
  for (int i = 0; i < 2000 && !HasFailure(); ++i) {
    const RandomProgram program(random, 1 + static_cast<int>(random() % 30));
    EXPECT_TRUE(compare(*program, random, 3)) << (*program).str();
  }
}
