#include "alula/ops/multi_elementwise.h"

#include <algorithm>

#include "alula/backends/cpu/interpreter.h"
#include "alula/backends/cpu/scratch.h"
#include "alula/runtime/team.h"

namespace alula::cpu {

/// One call over many groups, shared by the threads that take part in it. The groups' tiles are
/// numbered through, so that many small tensors and a few large ones are shared out alike.
class GroupRun {
 public:
  GroupRun(const Code& code, const Code::Groups& groups)
      : code_(code),
        groups_(groups),
        each_in_(code.inputs_.size() - static_cast<size_t>(groups.shared)),
        each_out_(code.outputs_.size()) {
    uniforms_ = InlineVector<uint64_t, 16>(code.uniforms_.begin(), code.uniforms_.end());
    code.set_parameters(groups.parameters, uniforms_.data());
    uint64_t ones = 0;
    for (size_t k = 0; k < code.inputs_.size(); ++k)
      if (is_one(static_cast<int>(k))) ones |= uint64_t{1} << (k % 64);
    machine_ = code.machine_code(ones, jit::Stores::kPlain);
    for (const Code::Step& step : code.steps_) {
      uint32_t uniform = 0;
      for (int k = 0; k < step.operand_count; ++k)
        uniform |= static_cast<uint32_t>(is_uniform(step.operands[k])) << k;
      uniform_.push_back(uniform);
    }
    for (size_t i = 0; i < code.values_.size(); ++i)
      if (moves(static_cast<uint16_t>(i))) moving_.push_back(static_cast<uint16_t>(i));
    first_tile_.push_back(0);
    for (size_t i = 0; i < groups.outputs.size(); i += each_out_) {
      const int64_t size = groups.outputs[i].size();
      elements_ += size;
      first_tile_.push_back(first_tile_.back() + (size + tile() - 1) / tile());
    }
  }

  void operator()() {
    const int64_t tiles = first_tile_.back();
    if (tiles == 0) return;
    // What a tile costs beside its elements: some calls of routines.
    const double overhead = machine_ ? 10 : 4 * static_cast<double>(code_.steps_.size());
    const double each = static_cast<double>(elements_) / static_cast<double>(tiles);
    const double nanoseconds = machine_ ? machine_->nanoseconds() : code_.nanoseconds_;
    team::parallel_for(tiles, nanoseconds * each + overhead, [&](int64_t begin, int64_t end) {
      machine_ ? run_machine(begin, end) : interpret(begin, end);
    });
  }

 private:
  int64_t tile() const { return code_.tile_elements_; }

  /// Whether a value is one number rather than a tile of them.
  bool is_uniform(uint16_t position) const {
    const Code::Value& value = code_.values_[position];
    if (value.place != Code::Place::kInput) return value.place == Code::Place::kUniform;
    return is_one(value.index);
  }
  /// Whether an input is a single value.
  bool is_one(int input) const {
    return input < groups_.shared ||
           input >= static_cast<int>(code_.inputs_.size()) - groups_.scalars;
  }
  /// Whether a value lies elsewhere in each tile or group.
  bool moves(uint16_t position) const {
    const Code::Value& value = code_.values_[position];
    return value.place == Code::Place::kOutput ||
           (value.place == Code::Place::kInput && value.index >= groups_.shared);
  }

  size_t group_of(int64_t tile) const {
    return static_cast<size_t>(std::upper_bound(first_tile_.begin(), first_tile_.end(), tile) -
                               first_tile_.begin() - 1);
  }

  /// Computes the tiles [begin, end), those of a group in one go.
  void run_machine(int64_t begin, int64_t end) const {
    for (size_t group = group_of(begin); begin < end; ++group) {
      const int64_t until = std::min(end, first_tile_[group + 1]);
      if (until <= begin) continue;
      const int64_t size = groups_.outputs[group * each_out_].size();
      const int64_t from = (begin - first_tile_[group]) * tile();
      const int64_t to = std::min(size, (until - first_tile_[group]) * tile());
      for (int64_t i = from; i < to;) {
        std::byte* addresses[jit::kMostTensors];
        place_tensors(group, i, addresses);
        i += (*machine_)(addresses, uniforms_.data(), to - i);
        if (i == to) break;
        const int64_t others = std::min({machine_->step(), to - i, tile()});
        interpret_part(group, i, others);
        i += others;
      }
      begin = until;
    }
  }

  /// The addresses of a group's inputs and outputs from element `start` on.
  void place_tensors(size_t group, int64_t start, std::byte** addresses) const {
    const size_t inputs = code_.inputs_.size();
    for (size_t k = 0; k < inputs; ++k) {
      // The shared ones are counted in k.
      const size_t view = k < static_cast<size_t>(groups_.shared) ? k : group * each_in_ + k;
      const int64_t offset =
          is_one(static_cast<int>(k)) ? 0 : start * static_cast<int64_t>(size_of(code_.inputs_[k]));
      addresses[k] = groups_.inputs[view].as<std::byte>() + offset;
    }
    for (size_t k = 0; k < each_out_; ++k)
      addresses[inputs + k] = groups_.outputs[group * each_out_ + k].as<std::byte>() +
                              start * static_cast<int64_t>(size_of(code_.outputs_[k]));
  }

  /// Computes the tiles [begin, end) by routines.
  void interpret(int64_t begin, int64_t end) const {
    for (size_t group = group_of(begin); begin < end; ++begin) {
      while (begin >= first_tile_[group + 1]) ++group;
      const int64_t start = (begin - first_tile_[group]) * tile();
      const int64_t size = groups_.outputs[group * each_out_].size();
      interpret_part(group, start, std::min(tile(), size - start));
    }
  }

  /// Computes `n` elements of a group, at most a tile.
  void interpret_part(size_t group, int64_t start, int64_t n) const {
    const Scratch<std::byte> tiles(code_.tiles_ * kTile);
    InlineVector<std::byte*, 48> addresses;
    for (const Code::Value& value : code_.values_)
      addresses.push_back(
          value.place == Code::Place::kUniform
              ? reinterpret_cast<std::byte*>(const_cast<uint64_t*>(&uniforms_[value.index]))
          : value.place == Code::Place::kTile ? tiles.data() + value.index * kTile
          : value.place == Code::Place::kInput && value.index < groups_.shared
              ? groups_.inputs[value.index].as<std::byte>()
              : nullptr);
    place(group, start, addresses.data());
    compute(n, addresses.data());
  }

  /// Finds the addresses that differ from tile to tile.
  void place(size_t group, int64_t start, std::byte** addresses) const {
    for (uint16_t position : moving_) {
      const Code::Value& value = code_.values_[position];
      const auto index = static_cast<size_t>(value.index);
      const View& view =
          value.place == Code::Place::kOutput
              ? groups_.outputs[group * each_out_ + index]
              : groups_.inputs[group * each_in_ + index];  // the shared ones are counted in index
      const int64_t offset =
          is_uniform(position) ? 0 : start * static_cast<int64_t>(size_of(value.dtype));
      addresses[position] = view.as<std::byte>() + offset;
    }
  }

  void compute(int64_t n, std::byte* const* addresses) const {
    uint32_t faults = 0;  // floating types have none
    const uint32_t* uniform = uniform_.data();
    for (const Code::Step& step : code_.steps_) {
      const void* operands[3];
      for (int k = 0; k < step.operand_count; ++k) operands[k] = addresses[step.operands[k]];
      step.routine(addresses[step.result], operands, *uniform++, n, &faults);
    }
  }

  static constexpr int64_t kTile = 4096;

  const Code& code_;
  const Code::Groups& groups_;
  const jit::MachineCode* machine_ = nullptr;
  size_t each_in_, each_out_;
  InlineVector<uint64_t, 16> uniforms_;
  InlineVector<uint32_t, 32> uniform_;    // a step: which operands are single values
  InlineVector<uint16_t, 16> moving_;     // values whose addresses differ from tile to tile
  InlineVector<int64_t, 32> first_tile_;  // a group, and the end
  int64_t elements_ = 0;
};

void Code::run(const Groups& groups) const { GroupRun(*this, groups)(); }

namespace {

const RegisterKernel<DeviceType::kCPU, MultiElementwise> registered{
    [](const MultiElementwise& op, const KernelCall& call) {
      Code::of(*op.program)
          .run({.inputs = call.inputs,
                .outputs = call.outputs,
                .parameters = op.parameters,
                .shared = op.shared,
                .scalars = op.scalars});
    }};

}  // namespace
}  // namespace alula::cpu
