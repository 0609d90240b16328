#include "alula/backends/cpu/interpreter.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include "alula/backends/cpu/broadcast.h"
#include "alula/backends/cpu/scratch.h"
#include "alula/core/memory.h"
#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

using scalar::Instruction;
using scalar::Opcode;

constexpr int64_t kTileBytes = 4096;       // of one value; a few of them fit the first-level cache
constexpr int64_t kStreamBytes = 8 << 20;  // results larger than this will not stay in a cache
constexpr int64_t kSmall = 1 << 15;        // elements that one thread may well compute alone
constexpr int64_t kLongRow = 128;          // rows this long are worth a tile of their own

/// Memory for one thread's tiles, kept from call to call.
class Tiles {
 public:
  ~Tiles() {
    if (block_ != nullptr) memory::release(block_, bytes_);
  }
  std::byte* get(size_t bytes) {
    if (bytes > bytes_) {
      if (block_ != nullptr) memory::release(block_, bytes_);
      block_ = nullptr;
      bytes_ = 0;
      block_ = memory::allocate(bytes);
      bytes_ = bytes;
    }
    return static_cast<std::byte*>(block_);
  }

 private:
  void* block_ = nullptr;
  size_t bytes_ = 0;
};
thread_local Tiles t_scratch;

void store(DType dtype, double number, uint64_t* to) {
  with_type(dtype, [&]<class T>(Type<T>) {
    const T value = static_cast<T>(number);
    std::memcpy(to, &value, sizeof(T));
  });
}

void store_constant(const Instruction& step, uint64_t* to) {
  if (is_floating(step.dtype)) return store(step.dtype, step.number, to);
  with_type(step.dtype, [&]<class T>(Type<T>) {
    const T value = static_cast<T>(step.integer);
    std::memcpy(to, &value, sizeof(T));
  });
}

[[noreturn]] void report(const std::string& name, uint32_t faults) {
  if (faults & kDivisionByZero) fail("{}: division by zero in an integer tensor.", name);
  fail("{}: an integer cannot be raised to a negative power.", name);
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

const jit::MachineCode* Code::machine_code(uint64_t ones, jit::Stores stores) const {
  if (!compiles_) return nullptr;
  Variant* first = variants_.load(std::memory_order_acquire);
  for (const Variant* v = first; v != nullptr; v = v->next)
    if (v->ones == ones && v->stores == stores) return v->code.get();
  // Another thread may make the same meanwhile: then there are two, and both are good.
  auto* made = new Variant{ones, stores, jit::MachineCode::make(program_, ones, stores), first};
  while (!variants_.compare_exchange_weak(made->next, made, std::memory_order_acq_rel)) {
  }
  return made->code.get();
}

void Code::set_parameters(std::span<const double> parameters, uint64_t* words) const {
  for (const auto& [parameter, position] : parameters_) {
    const Value& value = values_[position];
    store(value.dtype, parameters[parameter], &words[value.index]);
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

/// One call, shared by the threads that take part in it.
class Run {
 public:
  /// An output that is not there is one whose elements are asked for by `compute`.
  Run(const Code& code, std::span<const View> inputs, std::span<const View> outputs,
      std::span<const double> parameters)
      : code_(code), inputs_(inputs), outputs_(outputs), broadcast_(outputs[0].shape(), inputs) {
    size_ = outputs[0].size();
    uniforms_ = InlineVector<uint64_t, 16>(code.uniforms_.begin(), code.uniforms_.end());
    code.set_parameters(parameters, uniforms_.data());
    // Tiles within a long row read their inputs in place; short rows are first copied together.
    by_rows_ = broadcast_.has_rows() && broadcast_.row() >= kLongRow;
    filled_ = by_rows_ ? 0 : broadcast_.rows();
    streams_ = outputs.size() == 1 && outputs[0].data != nullptr &&
               outputs[0].bytes() >= kStreamBytes && !by_rows_;
    find_machine_code();
  }

  void operator()() {
    const int64_t tile = code_.tile_elements_;
    const double nanoseconds = this->nanoseconds();
    if (by_rows_) {
      const int64_t row = broadcast_.row();
      team::parallel_for(
          size_ / row, nanoseconds * static_cast<double>(row),
          [&](int64_t begin, int64_t end) { each_row(begin * row, end * row, outputs_); });
    } else {
      const int64_t tiles = (size_ + tile - 1) / tile;
      const auto in_tile = static_cast<double>(std::min(tile, size_));
      team::parallel_for(tiles, nanoseconds * in_tile, [&](int64_t begin, int64_t end) {
        range(begin * tile, std::min(end * tile, size_), outputs_);
      });
    }
    check();
  }

  /// Computes the elements [begin, begin + n) of the one result into memory of the caller's.
  /// Several threads may do so at a time.
  void compute(int64_t begin, int64_t n, std::byte* to) {
    // What is written are the places from `begin` on of an output that would start here.
    const auto width = static_cast<int64_t>(size_of(code_.outputs_[0]));
    const auto start = reinterpret_cast<uintptr_t>(to) - static_cast<uintptr_t>(begin * width);
    const View output{outputs_[0].spec, reinterpret_cast<void*>(start)};
    if (by_rows_)
      each_row(begin, begin + n, {&output, 1});
    else
      range(begin, begin + n, {&output, 1});
  }
  void check() const {
    if (code_.can_fail_ && faults_ != 0) report(code_.name_, faults_);
  }
  double nanoseconds() const {
    return machine_ != nullptr ? machine_->nanoseconds() : code_.nanoseconds_;
  }

 private:
  using Outputs = std::span<const View>;

  void find_machine_code() {
    uint64_t ones = 0;
    for (size_t k = 0; k < inputs_.size(); ++k) {
      const Broadcast::Kind kind = broadcast_.kind(k);
      if (kind == Broadcast::Kind::kOne || (by_rows_ && kind == Broadcast::Kind::kRowOne))
        ones |= uint64_t{1} << (k % 64);
    }
    const bool aligned = reinterpret_cast<uintptr_t>(outputs_[0].data) % 64 == 0;
    machine_ = code_.machine_code(
        ones, streams_ && aligned ? jit::Stores::kStreaming : jit::Stores::kPlain);
    if (machine_ != nullptr) streams_ = false;  // it does so itself
  }

  /// Computes the elements [begin, end), row by row.
  void each_row(int64_t begin, int64_t end, Outputs outputs) {
    const int64_t row = broadcast_.row();
    for (int64_t next; begin < end; begin = next) {
      next = std::min(end, (begin / row + 1) * row);
      range(begin, next, outputs);
    }
  }

  /// Computes the elements [begin, end).
  void range(int64_t begin, int64_t end, Outputs outputs) {
    if (machine_ == nullptr) return interpret(begin, end, outputs);
    const Scratch<std::byte> filled(filled_ * kTileBytes);
    const int64_t tile = filled_ > 0 ? code_.tile_elements_ : end - begin;
    const int64_t row = filled_ > 0 ? broadcast_.row() : 1;
    std::byte* addresses[jit::kMostTensors];
    int64_t filled_at = -1;  // which elements the rows that repeat have been copied for
    for (int64_t i = begin; i < end;) {
      const int64_t n = std::min(tile, end - i);
      const bool in_step = filled_at >= 0 && (i - filled_at) % row == 0;
      place_tensors(i, n, addresses, filled.data(), in_step, outputs);
      if (!in_step) filled_at = n == tile ? i : -1;
      int64_t done = (*machine_)(addresses, uniforms_.data(), n);
      if (done < n) {
        const int64_t others = std::min(machine_->step(), n - done);
        interpret(i + done, i + done + others, outputs);
        done += others;
      }
      i += done;
    }
  }

  /// Finds the addresses of inputs and outputs for the `n` elements from `i` on.
  void place_tensors(int64_t i, int64_t n, std::byte** addresses, std::byte* filled, bool in_step,
                     Outputs outputs) {
    for (size_t k = 0; k < inputs_.size(); ++k) {
      auto* data = inputs_[k].as<std::byte>();
      const auto width = static_cast<int64_t>(size_of(code_.inputs_[k]));
      switch (broadcast_.kind(k)) {
        case Broadcast::Kind::kSame: addresses[k] = data + i * width; break;
        case Broadcast::Kind::kOne: addresses[k] = data; break;
        default:
          if (by_rows_) {
            addresses[k] = data + broadcast_.offset(k, i) * width;
          } else {
            if (!in_step || !broadcast_.is_one_row(k))
              broadcast_.fill(k, i, n, data, filled, width);
            addresses[k] = filled;
            filled += kTileBytes;
          }
      }
    }
    for (size_t k = 0; k < outputs_.size(); ++k)
      addresses[inputs_.size() + k] =
          outputs[k].as<std::byte>() + i * static_cast<int64_t>(size_of(code_.outputs_[k]));
  }

  /// Computes the elements [begin, end) by routines, tile by tile.
  void interpret(int64_t begin, int64_t end, Outputs outputs) {
    const int64_t tile = code_.tile_elements_;
    const size_t values = code_.values_.size();
    const size_t tiles = code_.tiles_ + filled_ + (streams_ ? 1 : 0);
    std::byte* scratch = t_scratch.get(tiles * kTileBytes + values * sizeof(void*));
    auto** addresses = reinterpret_cast<std::byte**>(scratch + tiles * kTileBytes);
    std::byte* filled = scratch + code_.tiles_ * kTileBytes;
    std::byte* streamed = filled + filled_ * kTileBytes;
    uint32_t faults = 0;
    const int64_t row = filled_ > 0 ? broadcast_.row() : 1;
    for (int64_t i = begin; i < end; i += tile) {
      const int64_t n = std::min(tile, end - i);
      place(i, n, addresses, scratch, filled, streamed, i > begin && tile % row == 0, outputs);
      for (const Code::Step& step : code_.steps_) {
        const void* operands[3];
        uint32_t uniform = 0;
        for (int k = 0; k < step.operand_count; ++k) {
          operands[k] = addresses[step.operands[k]];
          uniform |= static_cast<uint32_t>(is_uniform(step.operands[k])) << k;
        }
        step.routine(addresses[step.result], operands, uniform, n, &faults);
      }
      if (streams_) {
        const auto width = static_cast<int64_t>(size_of(outputs_[0].dtype()));
        stream_copy(outputs[0].as<std::byte>() + i * width, streamed, n * width);
      }
    }
    if (faults != 0) faults_.fetch_or(faults, std::memory_order_relaxed);
  }

  /// Whether a value is one number rather than a tile of them.
  bool is_uniform(uint16_t position) const {
    const Code::Value& value = code_.values_[position];
    if (value.place == Code::Place::kUniform) return true;
    if (value.place != Code::Place::kInput) return false;
    const Broadcast::Kind kind = broadcast_.kind(value.index);
    return kind == Broadcast::Kind::kOne || (by_rows_ && kind == Broadcast::Kind::kRowOne);
  }

  /// Finds the address of each value for the tile that starts at element `i`. `in_step`: rows lie
  /// in it as in the tile before, so that what is one row, a bias, is there already.
  void place(int64_t i, int64_t n, std::byte** addresses, std::byte* scratch, std::byte* filled,
             std::byte* streamed, bool in_step, Outputs outputs) {
    for (size_t position = 0; position < code_.values_.size(); ++position) {
      const Code::Value& value = code_.values_[position];
      const auto width = static_cast<int64_t>(size_of(value.dtype));
      switch (value.place) {
        case Code::Place::kUniform:
          addresses[position] = reinterpret_cast<std::byte*>(&uniforms_[value.index]);
          break;
        case Code::Place::kTile: addresses[position] = scratch + value.index * kTileBytes; break;
        case Code::Place::kOutput:
          addresses[position] =
              streams_ ? streamed : outputs[value.index].as<std::byte>() + i * width;
          break;
        case Code::Place::kInput: {
          auto* data = inputs_[value.index].as<std::byte>();
          const Broadcast::Kind kind = broadcast_.kind(value.index);
          if (kind == Broadcast::Kind::kSame) {
            addresses[position] = data + i * width;
          } else if (kind == Broadcast::Kind::kOne) {
            addresses[position] = data;
          } else if (by_rows_) {
            addresses[position] = data + broadcast_.offset(value.index, i) * width;
          } else {
            if (!in_step || !broadcast_.is_one_row(value.index))
              broadcast_.fill(value.index, i, n, data, filled, width);
            addresses[position] = filled;
            filled += kTileBytes;
          }
          break;
        }
      }
    }
  }

  const Code& code_;
  std::span<const View> inputs_, outputs_;
  Broadcast broadcast_;
  const jit::MachineCode* machine_ = nullptr;
  InlineVector<uint64_t, 16> uniforms_;
  int64_t size_ = 0;
  int filled_ = 0;
  bool by_rows_ = false;
  bool streams_ = false;
  std::atomic<uint32_t> faults_ = 0;
};

void Code::run(std::span<const View> inputs, std::span<const View> outputs,
               std::span<const double> parameters) const {
  const int64_t n = outputs[0].size();
  if (n == 0) return;
  // One instruction over equal shapes, too little to share: no tiles, just the routine.
  if (single_ && n <= tile_elements_) {
    const Shape& shape = outputs[0].shape();
    const Step& step = steps_[0];
    const void* operands[3];
    uint32_t uniform = 0;
    bool plain = true;
    for (int k = 0; k < step.operand_count; ++k) {
      const Value& value = values_[step.operands[k]];
      if (value.place == Place::kInput) {
        operands[k] = inputs[value.index].data;
        plain = plain && inputs[value.index].shape() == shape;
      } else {
        operands[k] = &uniforms_[value.index];
        uniform |= 1u << k;
      }
    }
    if (plain && parameters_.empty()) {
      uint32_t faults = 0;
      step.routine(outputs[0].data, operands, uniform, n, &faults);
      if (faults != 0) report(name_, faults);
      return;
    }
  }
  if (compiles_ && run_small(inputs, outputs, parameters)) return;
  Run(*this, inputs, outputs, parameters)();
}

bool Code::run_small(std::span<const View> inputs, std::span<const View> outputs,
                     std::span<const double> parameters) const {
  const int64_t n = outputs[0].size();
  if (n > kSmall || inputs.size() + outputs.size() > jit::kMostTensors) return false;
  uint64_t ones = 0;
  std::byte* addresses[jit::kMostTensors];
  for (size_t k = 0; k < inputs.size(); ++k) {
    addresses[k] = inputs[k].as<std::byte>();
    const int64_t size = inputs[k].size();
    if (size != n && size != 1) return false;
    if (size == 1) ones |= uint64_t{1} << k;
  }
  const jit::MachineCode* machine = machine_code(ones, jit::Stores::kPlain);
  if (machine == nullptr || machine->can_stop() ||
      static_cast<double>(n) * machine->nanoseconds() >= team::kWorthSharing)
    return false;
  for (size_t k = 0; k < outputs.size(); ++k)
    addresses[inputs.size() + k] = outputs[k].as<std::byte>();
  if (parameters_.empty()) {
    (*machine)(addresses, uniforms_.data(), n);
  } else {
    InlineVector<uint64_t, 16> words(uniforms_.begin(), uniforms_.end());
    set_parameters(parameters, words.data());
    (*machine)(addresses, words.data(), n);
  }
  return true;
}

Elements::Elements(const Code& code, std::span<const View> inputs, const Spec& result,
                   std::span<const double> parameters)
    : output_{&result, nullptr},
      run_(std::make_unique<Run>(code, inputs, std::span<const View>(&output_, 1), parameters)) {}
Elements::~Elements() = default;

void Elements::operator()(int64_t begin, int64_t n, void* to) const {
  run_->compute(begin, n, static_cast<std::byte*>(to));
}
void Elements::check() const { run_->check(); }
double Elements::nanoseconds() const { return run_->nanoseconds(); }

}  // namespace alula::cpu
