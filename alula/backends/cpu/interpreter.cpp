#include "alula/backends/cpu/interpreter.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

#include "alula/backends/cpu/broadcast.h"
#include "alula/backends/cpu/scratch.h"
#include "alula/core/memory.h"
#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

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

[[noreturn]] void report(const std::string& name, uint32_t faults) {
  if (faults & kDivisionByZero) fail("{}: division by zero in an integer tensor.", name);
  fail("{}: an integer cannot be raised to a negative power.", name);
}

}  // namespace

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
  static constexpr int64_t kTileBytes = Code::kTileBytes;

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

  /// The address of the `n` elements of an input from element `i` on. Rows that repeat are first
  /// copied together, to a tile at `filled`. `in_step`: rows lie in it as in the tile before, so
  /// that what is one row, a bias, is there already.
  std::byte* place_input(size_t k, int64_t i, int64_t n, std::byte*& filled, bool in_step) {
    auto* data = inputs_[k].as<std::byte>();
    const auto width = static_cast<int64_t>(size_of(code_.inputs_[k]));
    const Broadcast::Kind kind = broadcast_.kind(k);
    if (kind == Broadcast::Kind::kSame) return data + i * width;
    if (kind == Broadcast::Kind::kOne) return data;
    if (by_rows_) return data + broadcast_.offset(k, i) * width;
    if (!in_step || !broadcast_.is_one_row(k)) broadcast_.fill(k, i, n, data, filled, width);
    return std::exchange(filled, filled + kTileBytes);
  }

  /// Finds the addresses of inputs and outputs for the `n` elements from `i` on.
  void place_tensors(int64_t i, int64_t n, std::byte** addresses, std::byte* filled, bool in_step,
                     Outputs outputs) {
    for (size_t k = 0; k < inputs_.size(); ++k)
      addresses[k] = place_input(k, i, n, filled, in_step);
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

  /// Finds the address of each value for the tile that starts at element `i`.
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
        case Code::Place::kInput:
          addresses[position] = place_input(value.index, i, n, filled, in_step);
          break;
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
