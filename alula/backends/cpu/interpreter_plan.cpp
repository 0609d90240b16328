#include <algorithm>
#include <cstring>
#include <memory>

#include "alula/backends/cpu/interpreter.h"

/// How a program becomes steps over tiles.
namespace alula::cpu {
namespace {

using scalar::Instruction;
using scalar::Opcode;

void store_constant(const Instruction& step, uint64_t* to) {
  with_type(step.dtype, [&]<class T>(Type<T>) {
    const T value =
        is_floating(step.dtype) ? static_cast<T>(step.number) : static_cast<T>(step.integer);
    std::memcpy(to, &value, sizeof(T));
  });
}

}  // namespace

const Code& Code::of(const scalar::Program& program) {
  return static_cast<const Code&>(
      program.prepared(DeviceType::kCPU, [](const scalar::Program& p) -> std::unique_ptr<Prepared> {
        return std::make_unique<Code>(p);
      }));
}

Code::Code(const scalar::Program& program)
    : program_(program),
      inputs_(program.inputs()),
      name_(program.name()),
      can_fail_(program.can_fail()) {
  for (uint16_t result : program.results()) outputs_.push_back(program.code()[result].dtype);
  place_values(program);
  add_steps(program);
  size_t widest = 1;
  for (const Value& value : values_) widest = std::max(widest, size_of(value.dtype));
  tile_elements_ = kTileBytes / static_cast<int64_t>(widest);
  // A routine is as good as machine code for one instruction, but takes one vector of a function at
  // a time.
  const auto is_float_function = [](const Instruction& step) {
    return step.dtype == float32 && jit::is_function(step.opcode);
  };
  jit::Target target;
  compiles_ = jit::find_target(&target) &&
              (steps_.size() > 1 ||
               std::any_of(program.code().begin(), program.code().end(), is_float_function));
  single_ = steps_.size() == 1 && tiles_ == 0 && outputs_.size() == 1 && !compiles_;
}

Code::~Code() {
  for (Variant* variant = variants_.load(); variant != nullptr;) {
    const std::unique_ptr<Variant> owned(variant);
    variant = variant->next;
  }
}

int Code::take_tile(std::vector<int>& free_tiles) {
  if (free_tiles.empty()) return tiles_++;
  const int tile = free_tiles.back();
  free_tiles.pop_back();
  return tile;
}

/// Gives each instruction's value a place. A tile is used again once its last reader has run. A
/// result goes straight to its output if no input is read after it, else to a tile that is copied
/// at the end: the output may be one of the inputs.
void Code::place_values(const scalar::Program& program) {
  const std::vector<Instruction>& code = program.code();
  std::vector<size_t> last_use(code.size(), 0);
  size_t last_input_read = 0;
  for (size_t i = 0; i < code.size(); ++i)
    for (int k = 0; k < scalar::operand_count(code[i].opcode); ++k) {
      last_use[code[i].operands[k]] = i;
      if (code[code[i].operands[k]].opcode == Opcode::kInput) last_input_read = i;
    }
  // A result that is an input is read when all instructions have run.
  for (uint16_t result : program.results())
    if (program.results().size() > 1 && code[result].opcode == Opcode::kInput)
      last_input_read = code.size();
  for (uint16_t result : program.results())
    if (result < last_input_read) last_use[result] = code.size();

  std::vector<int> free_tiles;
  for (size_t i = 0; i < code.size(); ++i) {
    const Instruction& step = code[i];
    Value value{.dtype = step.dtype};
    const auto result = std::find(program.results().begin(), program.results().end(), i);
    if (step.opcode == Opcode::kInput) {
      value.place = Place::kInput;
      value.index = static_cast<int>(step.index);
    } else if (scalar::operand_count(step.opcode) == 0) {
      value.index = static_cast<int>(uniforms_.size());
      uniforms_.push_back(0);
      if (step.opcode == Opcode::kConstant) store_constant(step, &uniforms_.back());
      if (step.opcode == Opcode::kParameter)
        parameters_.emplace_back(static_cast<int>(step.index), static_cast<int>(i));
    } else if (result != program.results().end() && i >= last_input_read) {
      value.place = Place::kOutput;
      value.index = static_cast<int>(result - program.results().begin());
    } else {
      value.place = Place::kTile;
      value.index = take_tile(free_tiles);
    }
    values_.push_back(value);
    // A routine may write over its operand, but a tile that ends here is free only from the next
    // instruction on, since operands are read at different widths.
    for (int k = 0; k < scalar::operand_count(step.opcode); ++k) {
      const Value& operand = values_[step.operands[k]];
      const bool repeated = std::find(step.operands.begin(), step.operands.begin() + k,
                                      step.operands[k]) != step.operands.begin() + k;
      if (operand.place == Place::kTile && last_use[step.operands[k]] == i && !repeated)
        free_tiles.push_back(operand.index);
    }
  }
}

void Code::add_steps(const scalar::Program& program) {
  const std::vector<Instruction>& code = program.code();
  for (size_t i = 0; i < code.size(); ++i) {
    const int count = scalar::operand_count(code[i].opcode);
    if (count == 0) continue;
    const DType operand = code[code[i].operands[count - 1]].dtype;
    Step step{.routine = find_routine(code[i].opcode, operand, code[i].dtype),
              .result = static_cast<uint16_t>(i),
              .operand_count = static_cast<uint16_t>(count),
              .operands = code[i].operands};
    require<InternalError>(step.routine != nullptr, "{}: the CPU has no routine for {} of {}.",
                           name_, scalar::name_of(code[i].opcode), operand);
    nanoseconds_ += routine_cost(code[i].opcode, operand);
    steps_.push_back(step);
  }
  copy_results(program);
  for (DType dtype : inputs_) nanoseconds_ += 0.02 * static_cast<double>(size_of(dtype));
}

/// Copies the results that are not in their outputs yet: what is in a tile, an input, a constant,
/// or another result as well. Inputs are first copied aside, since an output may be one of them.
void Code::copy_results(const scalar::Program& program) {
  const auto copy = [this](uint16_t source, Place place, int index) {
    const DType dtype = values_[source].dtype;
    values_.push_back({place, index, dtype});
    steps_.push_back({.routine = find_routine(Opcode::kCast, dtype, dtype),
                      .result = static_cast<uint16_t>(values_.size() - 1),
                      .operand_count = 1,
                      .operands = {source}});
    return static_cast<uint16_t>(values_.size() - 1);
  };
  std::vector<uint16_t> sources = program.results();
  if (sources.size() > 1)
    for (uint16_t& source : sources)
      if (values_[source].place == Place::kInput) source = copy(source, Place::kTile, tiles_++);
  for (size_t k = 0; k < sources.size(); ++k) {
    const Value& value = values_[sources[k]];
    if (value.place != Place::kOutput || value.index != static_cast<int>(k))
      copy(sources[k], Place::kOutput, static_cast<int>(k));
  }
}

}  // namespace alula::cpu
