#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "alula/core/dtype.h"
#include "alula/scalar/program.h"

/// Scalar programs as vector instructions of a CPU, before registers are chosen.
namespace alula::cpu::jit {

enum class Target : uint8_t { kAVX2, kAVX512 };

/// The lanes of a vector: a float32 or int32 each.
constexpr int lanes_of(Target target) { return target == Target::kAVX512 ? 16 : 8; }

/// Nearly all are one machine instruction.
enum class Op : uint8_t {
  kConstant,   // `payload`, in every lane
  kParameter,  // the word `payload` of those given with the call
  kLoad,       // the elements of input `payload`
  kLoadOne,    // its one element, in every lane
  kStore,      // to output `payload`
  kCheck,      // stops where a lane is false
  // floats
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMulAdd,  // a * b + c, rounded once
  kSqrt,
  kMin,  // the second if one is NaN
  kMax,
  kRound,  // in the direction `immediate`
  kScale,  // a * 2^b; AVX-512 only
  kRoundToHalf,
  // bits and integers
  kAnd,
  kAndNot,  // ~a & b
  kOr,
  kXor,
  kAddInteger,
  kSubInteger,
  kMulInteger,
  kMinInteger,
  kMaxInteger,
  kShiftLeft,  // by `immediate`
  kShiftRight,
  kShiftRightSigned,
  kToInteger,  // rounded towards 0
  kToFloat,
  // truth values
  kCompare,         // floats, by the predicate `immediate`
  kCompareInteger,  // kEqualTo or kGreaterThan
  kBoth,
  kEither,
  kDiffer,
  kInvert,
  kSelect,  // a ? b : c
};

inline constexpr uint8_t kEqualTo = 0, kGreaterThan = 6;

/// The predicates of comparisons of floats, as instructions spell them.
enum Predicate : uint8_t {
  kEqual = 0x00,
  kLess = 0x11,
  kLessEqual = 0x12,
  kUnordered = 0x03,
  kNotEqual = 0x04,           // or unordered
  kNotGreaterOrEqual = 0x19,  // less or unordered
  kNotLessOrEqual = 0x16,     // greater or unordered
};

/// What a lane of a value is: 32 bits, or true or false.
enum class Lane : uint8_t { kWord, kTruth };

using Id = uint16_t;
inline constexpr Id kNone = 0xffff;

struct Node {
  Op op;
  Lane lane = Lane::kWord;
  DType dtype = float32;  // of a load or store: how elements lie in memory
  uint8_t immediate = 0;
  bool uniform = false;  // the same in every lane and every step
  bool live = false;     // whether a store or check needs it
  std::array<Id, 3> operands{kNone, kNone, kNone};
  uint32_t payload = 0;
};

/// The vector instructions of one program. Float operations on bits are as good as integer ones:
/// all words are the same to a register.
class Nodes {
 public:
  explicit Nodes(Target target) : target_(target) {}

  Target target() const { return target_; }
  const std::vector<Node>& all() const { return nodes_; }
  const std::vector<Id>& constants() const { return constants_; }
  const Node& operator[](Id id) const { return nodes_[id]; }

  Id constant(uint32_t bits);
  Id constant(float value) { return constant(std::bit_cast<uint32_t>(value)); }
  Id parameter(DType dtype, uint32_t word);
  Id load(DType dtype, uint32_t input, bool one);
  void store(Id value, DType dtype, uint32_t output);
  void check(Id truth);
  Id add(Op op, Id a, Id b = kNone, Id c = kNone, int immediate = 0);

  /// Marks what stores and checks need.
  void mark_live();

 private:
  Id push(Node node);

  Target target_;
  std::vector<Node> nodes_;
  std::vector<Id> constants_;
};

/// The instructions of a program whose inputs in `ones` (bits) are one element each. Whether there
/// are instructions for all that it does.
bool lower(const scalar::Program& program, uint64_t ones, Nodes& nodes);

/// A function of floats: exp, tanh, ….
bool is_function(scalar::Opcode opcode);
Id lower_function(Nodes& nodes, scalar::Opcode opcode, Id x);

}  // namespace alula::cpu::jit
