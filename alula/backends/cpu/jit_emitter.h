#pragma once
#include <xbyak/xbyak.h>

#include "alula/backends/cpu/jit_emit.h"

namespace alula::cpu::jit {

/// Writes the machine code of one function.
class Emitter final : public Xbyak::CodeGenerator {
 public:
  Emitter(const Nodes& nodes, const Plan& plan, int inputs, Stores stores,
          std::vector<uint8_t>& buffer);

  /// Writes the constants, then the function, and returns where it starts.
  size_t function();

 private:
  using Address = Xbyak::Address;
  using Operand = Xbyak::Operand;
  using Vector = Xbyak::Xmm;  // of either size
  using Mask = Xbyak::Opmask;

  /// An operand that may stay in memory.
  class Source {
   public:
    explicit Source(const Vector& vector) : vector_(vector), address_(0), in_memory_(false) {}
    explicit Source(const Address& address) : address_(address), in_memory_(true) {}
    bool in_memory() const { return in_memory_; }
    const Operand& get() const {
      return in_memory_ ? static_cast<const Operand&>(address_) : vector_;
    }

   private:
    Vector vector_;
    Address address_;
    bool in_memory_;
  };

  // The frame: which registers hold what, and the loops.
  void write_pool();
  void save_registers();
  void restore_registers();
  void load_addresses();
  void whole_vectors(const Allocation& allocation, Xbyak::Label& stopped);
  void last_vectors(Xbyak::Label& stopped);
  void body(const Allocation& allocation, Xbyak::Label& stopped);

  // One instruction each; jit_instructions.cpp.
  void instruction(Id id, int copy, Xbyak::Label& stopped);
  void word_instruction(const Node& node, int copy, const Vector& to);
  void truth_instruction(const Node& node, int copy, const Mask& to);
  void truth_as_words(const Node& node, int copy, const Vector& to);
  void mul_add(const Node& node, int copy, const Vector& to);
  void select(const Node& node, int copy, const Vector& to);
  void check(const Node& node, int copy, Xbyak::Label& stopped);

  // Memory; jit_memory.cpp.
  void load(const Node& node, int copy, const Vector& to);
  void load_truths(const Node& node, int copy, const Mask& to);
  void load_one(const Node& node, const Vector& to);
  void store(const Node& node, int copy);
  void store_truths(const Node& node, int copy, const Address& to);
  Address element(const Node& node, int copy, int tensor);

  bool is_avx512() const { return target_ == Target::kAVX512; }
  Vector vector(int index) const {
    return is_avx512() ? Vector(Xbyak::Zmm(index)) : Vector(Xbyak::Ymm(index));
  }
  /// The registers kept for moments, three of words and two of truths.
  Vector scratch(int k) const { return vector((is_avx512() ? 29 : 13) + k); }
  Mask truth_scratch(int k) const { return Mask(5 + k); }
  /// Which lanes of the last vector there are.
  Mask last_lanes() const { return k7; }

  Address slot(int index) { return ptr[rsp + index * vector_bytes_]; }
  Address constant(int index);
  /// The value in a register: its own, or else the scratch register k.
  Vector in_register(Id id, int copy, int k);
  Mask truth_in_register(Id id, int copy, int k);
  void load_value(const Place& place, const Vector& to);
  Source source(Id id, int copy);
  bool in_memory(Id id, int copy) const { return !place(id, copy).is_register(); }
  Place place(Id id, int copy) const { return (*allocation_)(id, copy); }
  bool is_zero(Id id) const { return nodes_[id].op == Op::kConstant && nodes_[id].payload == 0; }

  const Nodes& nodes_;
  const Plan& plan_;
  Target target_;
  int inputs_;
  Stores stores_;
  int lanes_, vector_bytes_;
  const uint8_t* pool_;
  /// Constants of all programs, behind their own.
  const uint8_t* byte_ones_ = nullptr;
  const uint8_t* zeros_ = nullptr;
  const uint8_t* all_ones_ = nullptr;
  const uint8_t* upper_halves_ = nullptr;  // a shuffle: the upper half of each word
  const Allocation* allocation_ = nullptr;
  std::vector<int> tensors_;            // inputs and outputs, counted through, that are read
  std::vector<Xbyak::Reg64> pointers_;  // their addresses
  std::vector<Xbyak::Reg64> saved_;
  bool masked_ = false;  // whether the last vector is being computed
};

}  // namespace alula::cpu::jit
