#pragma once
#include <memory>
#include <span>

#include "alula/backends/cpu/jit_nodes.h"

namespace alula::cpu::jit {

/// Where a value is while it lives.
struct Place {
  enum class Kind : uint8_t { kNowhere, kRegister, kStack, kPool };
  Kind kind = Kind::kNowhere;
  int16_t index = 0;  // of the register, of the slot, or of the constant

  bool is_register() const { return kind == Kind::kRegister; }
};

/// The registers that values may take. Of each kind some more are kept back for moment's use.
struct Registers {
  std::vector<int16_t> words;   // AVX-512 has 32 of them, AVX2 16
  std::vector<int16_t> truths;  // AVX-512's mask registers; with AVX2 truths are words of all ones
};

/// Gives the values of a sequence of instructions their places, by linear scan: a value that does
/// not find a register, or whose register is needed more by another, is on the stack for all its
/// life.
class Allocation {
 public:
  /// `copies` of the sequence are computed side by side. What the others know already has a place.
  Allocation(const Nodes& nodes, std::span<const Id> sequence, int copies, const Registers& free,
             std::span<const Place> known, int first_slot);

  Place operator()(Id id, int copy) const {
    const Place known = known_[id];
    return known.kind != Place::Kind::kNowhere ? known : places_[id * copies_ + copy];
  }
  int copies() const { return copies_; }
  bool spills() const { return spills_; }
  /// The number of slots in use, the ones before it included.
  int slots() const { return slots_; }

 private:
  struct Active {
    Id id;
    int copy;
    int until;
  };

  void scan(std::span<const Id> sequence, Registers free);
  void define(Id id, int copy, int until, std::vector<int16_t>& free, std::vector<Active>& active);
  void release(Id id, int copy, Registers& free);

  const Nodes& nodes_;
  std::span<const Place> known_;
  int copies_;
  std::vector<Place> places_;
  std::vector<Active> words_, truths_;  // values that live now
  int slots_;
  bool spills_ = false;
};

/// Where everything is: what is the same in every step, and the steps by several vectors and by
/// one.
struct Plan {
  std::vector<Id> before, each;  // what is computed once, and in each step
  std::vector<Place> known;      // constants, and what is computed once and kept
  std::unique_ptr<Allocation> prologue, many, one;
  int slots = 0;
};

Plan make_plan(const Nodes& nodes);

}  // namespace alula::cpu::jit
