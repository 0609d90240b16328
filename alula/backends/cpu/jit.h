#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "alula/backends/cpu/jit_emit.h"

namespace alula::cpu::jit {

/// The most inputs and outputs, together, of a program that is compiled.
inline constexpr size_t kMostTensors = 64;

/// A scalar program as machine code for this CPU: one pass over the elements, with everything
/// between inputs and outputs in registers. Its results are those of the interpreter, bit for bit.
class MachineCode {
 public:
  /// The code of a program whose inputs in `ones` (bits) are one element each; the others follow
  /// one another in memory. None if the program does something that there is no code for (only
  /// float32, int32, bool and 16-bit floats are computed with), if the CPU has neither AVX2 nor
  /// AVX-512, if machine code is switched off (the environment variable ALULA_JIT is 0), or if the
  /// system does not allow it.
  static std::unique_ptr<MachineCode> make(const scalar::Program& program, uint64_t ones,
                                           Stores stores);
  /// The same for a given instruction set, which the CPU must have.
  static std::unique_ptr<MachineCode> make(const scalar::Program& program, uint64_t ones,
                                           Stores stores, Target target);
  ~MachineCode();
  MachineCode(const MachineCode&) = delete;
  MachineCode& operator=(const MachineCode&) = delete;

  /// Computes elements from the first on and returns how many: n, unless it meets an argument that
  /// one of its functions does not take (the sine of a very large number). Then the next `step()`
  /// elements are to be computed otherwise. `addresses`: of the inputs, then of the outputs, which
  /// may be inputs; `words`: one for each constant and parameter of the program, in their order,
  /// with the parameters' values.
  int64_t operator()(std::byte* const* addresses, const uint64_t* words, int64_t n) const;
  int64_t step() const { return step_; }
  /// Whether there are such arguments.
  bool can_stop() const { return can_stop_; }

  /// About how many nanoseconds an element takes.
  double nanoseconds() const { return nanoseconds_; }
  size_t bytes() const { return bytes_; }

 private:
  MachineCode() = default;
  bool map(const Emitted& emitted);
  int64_t part_of_vector(std::byte* const* addresses, const uint64_t* words, int64_t done,
                         int64_t n) const;

  using Function = int64_t (*)(std::byte* const* addresses, const uint64_t* words, int64_t n);

  Function function_ = nullptr;
  void* memory_ = nullptr;
  size_t bytes_ = 0;
  Target target_ = Target::kAVX2;
  int64_t step_ = 0;
  bool can_stop_ = false;
  double nanoseconds_ = 0;
  size_t inputs_ = 0;
  std::vector<uint8_t> widths_;  // of the elements of inputs and outputs; 0: one for all
};

/// Whether there is machine code at all: the best instruction set that both the CPU and Highway's
/// choice allow.
bool find_target(Target* target);

}  // namespace alula::cpu::jit
