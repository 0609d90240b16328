#pragma once
#include <atomic>
#include <vector>

#include "alula/backends/cpu/jit.h"
#include "alula/backends/cpu/routines.h"
#include "alula/runtime/op.h"

namespace alula::cpu {

class Run;

/// A scalar program made ready for the CPU. Where it can be compiled, and is more than one
/// instruction, it runs as machine code. Else it is interpreted, tile by tile: each instruction is
/// one routine over a few hundred elements, and what lies between two instructions stays in the
/// first-level cache. Outputs may be the same memory as inputs of their shape and dtype: nothing is
/// written to an output as long as an input is still to be read.
class Code final : public scalar::Prepared {
 public:
  explicit Code(const scalar::Program& program);
  ~Code() override;

  /// Computes the outputs from inputs that broadcast to their shape.
  void run(std::span<const View> inputs, std::span<const View> outputs,
           std::span<const double> parameters) const;

  /// Computes one program over many groups of tensors. `inputs`: `shared` single values for all
  /// groups; then for each group tensors of its shape, and `scalars` single values of its own.
  /// `outputs`: the results, group by group. An output may be an input of its group.
  struct Groups {
    std::span<const View> inputs;
    std::span<const View> outputs;
    std::span<const double> parameters;
    int shared = 0;
    int scalars = 0;
  };
  void run(const Groups& groups) const;

  /// The code of a program, made the first time.
  static const Code& of(const scalar::Program& program);

 private:
  friend class Run;
  friend class GroupRun;

  static constexpr int64_t kTileBytes = 4096;  // of one value; a few fit the first-level cache

  /// Where an instruction's value is while a tile is computed.
  enum class Place : uint8_t { kInput, kUniform, kTile, kOutput };
  struct Value {
    Place place = Place::kUniform;
    int index = 0;
    DType dtype = float32;
  };
  struct Step {
    Routine routine = nullptr;
    uint16_t result = 0;  // a position in values_
    uint16_t operand_count = 0;
    std::array<uint16_t, 3> operands{};
  };

  /// The program as machine code for inputs of which some are single elements (bits of `ones`), or
  /// null. Made the first time.
  const jit::MachineCode* machine_code(uint64_t ones, jit::Stores stores) const;
  struct Variant {
    uint64_t ones;
    jit::Stores stores;
    std::unique_ptr<jit::MachineCode> code;
    Variant* next;
  };
  /// Runs a small program over inputs of the output's shape at once; whether it could.
  bool run_small(std::span<const View> inputs, std::span<const View> outputs,
                 std::span<const double> parameters) const;
  void set_parameters(std::span<const double> parameters, uint64_t* words) const;

  void place_values(const scalar::Program& program);
  int take_tile(std::vector<int>& free_tiles);
  void copy_results(const scalar::Program& program);
  void add_steps(const scalar::Program& program);

  const scalar::Program& program_;  // it owns this
  mutable std::atomic<Variant*> variants_ = nullptr;
  std::vector<Value> values_;  // one an instruction, then one for each copy to an output
  std::vector<Step> steps_;
  std::vector<uint64_t> uniforms_;  // constants, and room for parameters and other values
  std::vector<std::pair<int, int>> parameters_;  // (parameter, position in values_)
  std::vector<DType> inputs_, outputs_;
  std::string name_;
  int tiles_ = 0;
  int64_t tile_elements_ = 0;
  double nanoseconds_ = 0;  // an element
  bool can_fail_ = false;
  bool compiles_ = false;  // whether machine code would be worth it
  bool single_ = false;    // one instruction, which reads inputs and writes the output
};

/// The elements of a program's one result, computed piece by piece into memory of the caller's.
class Elements {
 public:
  /// `inputs` broadcast to `result`; both must live as long as this.
  Elements(const Code& code, std::span<const View> inputs, const Spec& result,
           std::span<const double> parameters);
  ~Elements();
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;

  /// Writes the elements [begin, begin + n) to `to`. Several threads may do so at a time.
  void operator()(int64_t begin, int64_t n, void* to) const;
  /// Throws if an element was wrong in itself: an integer division by zero.
  void check() const;
  /// About how many nanoseconds an element takes.
  double nanoseconds() const;

 private:
  View output_;
  std::unique_ptr<Run> run_;
};

}  // namespace alula::cpu
