#include "alula/ops/conv2d_fused.h"

#include "alula/backends/cpu/conv2d_correlator.h"
#include "alula/backends/cpu/interpreter.h"
#include "alula/backends/cpu/pool2d_positions.h"

namespace alula::cpu {
namespace {

// Of values, which the program finds in the first cache; or in the second where there are more of
// them, since a run of the program costs something, too.
constexpr int64_t kUnitBytes = 24 << 10;
constexpr int64_t kUnpooledUnitBytes = 128 << 10;
constexpr int64_t kChunkBytes = 16 << 10;  // of a convolution's rows before they are pooled
constexpr int64_t kMostChunkBytes = 128 << 10;
constexpr double kNanosecondsAFlop = 0.015;

/// An image's rows are made a few at a time, pooled while they are in the first cache, and given to
/// the program.
template <class T>
class FusedConvolution {
  using Pooling = Conv2DFused::Pooling;

 public:
  FusedConvolution(const Conv2DFused& op, const KernelCall& call)
      : op_(op),
        call_(call),
        shape_(conv2d_shape(op.kName, *call.inputs[0].spec, *call.inputs[1].spec, op)),
        described_(describe(shape_)),
        correlator_(described_.correlation, call.inputs[1].as<T>()),
        code_(op.epilogue == nullptr ? nullptr : &Code::of(*op.epilogue)) {
    const Windows& w = shape_.windows;
    rows_ = w.y.output;
    columns_ = w.x.output;
    if (op.pooling == Pooling::kNone) return;
    pool_ = pool2d_windows(op.kName, {input().dtype(), conv2d_result(shape_)}, op.pool);
    rows_ = pool_.y.output;
    columns_ = pool_.x.output;
    pools_in_registers_ = correlator_.can_pool(pool_);
    if (pools_in_registers_ && finishes_in_registers()) code_ = nullptr;
    const int64_t weights = call.inputs[1].bytes();
    const int64_t bytes = std::clamp(weights, kChunkBytes, kMostChunkBytes);
    const int64_t row = w.x.output * shape_.out_channels * static_cast<int64_t>(sizeof(T));
    // Rows that two chunks need are made twice, so there should be few of them.
    const int64_t least = pool_.y.size > pool_.y.stride ? 4 : 1;
    chunk_ = std::max(least, bytes / (pool_.y.stride * row));
    chunk_ = std::min(chunk_, rows_);
  }

  void run() const {
    const int64_t row = columns_ * shape_.out_channels * static_cast<int64_t>(sizeof(T));
    const double image = kNanosecondsAFlop * shape_.flops() / static_cast<double>(shape_.batch);
    const bool shared = image * static_cast<double>(shape_.batch) > team::kWorthSharing;
    const int64_t bytes = pools() ? kUnitBytes : kUnpooledUnitBytes;
    const int64_t fitting = std::clamp<int64_t>(bytes / row, 1, rows_);
    const int64_t wanted =
        shared ? std::min(ceil_div(4 * team::size(), shape_.batch), rows_) : int64_t{1};
    const int64_t height = ceil_div(rows_, std::max(wanted, ceil_div(rows_, fitting)));
    const int64_t units = ceil_div(rows_, height);
    team::parallel_for(shape_.batch * units, image / static_cast<double>(units),
                       [&](int64_t begin, int64_t end) {
                         const Memory memory(*this, height);
                         for (int64_t i = begin; i < end; ++i) {
                           const int64_t first = i % units * height;
                           unit(i / units, first, std::min(rows_, first + height), memory);
                         }
                       });
  }

 private:
  /// A thread's.
  struct Memory {
    Memory(const FusedConvolution& f, int64_t height)
        : copy(f.correlator_.copy_size(f.rows_at_once(height))),
          rows(f.pools() && !f.pools_in_registers_
                   ? f.rows_at_once(height) * f.shape_.windows.x.output * f.shape_.out_channels
                   : 0),
          values(f.in_place() ? 0 : height * f.columns_ * f.shape_.out_channels) {}
    Scratch<T> copy, rows, values;
  };

  const View& input() const { return call_.inputs[0]; }
  bool pools() const { return op_.pooling != Pooling::kNone; }
  bool in_place() const { return code_ == nullptr || call_.outputs[0].dtype() == dtype_of<T>; }
  /// Of the convolution, for a unit of `height` rows of results.
  int64_t rows_at_once(int64_t height) const {
    if (!pools()) return height;
    const int64_t pooled = pools_in_registers_ ? height : chunk_;
    return (pooled - 1) * pool_.y.stride + pool_.y.size;
  }

  /// Sets `finish_` if the program is value + bias, max(value, number), or the one after the other.
  bool finishes_in_registers() {
    using scalar::Opcode;
    const scalar::Program* program = op_.epilogue;
    if (program == nullptr || program->results().size() != 1 || call_.inputs.size() > 3)
      return false;
    const std::vector<scalar::Instruction>& code = program->code();
    uint16_t at = program->results()[0];
    if (code[at].opcode == Opcode::kMax) {
      const scalar::Instruction &a = code[code[at].operands[0]], &b = code[code[at].operands[1]];
      if (b.opcode != Opcode::kConstant || a.dtype != dtype_of<T>) return false;
      finish_.least = static_cast<T>(b.number);
      at = code[at].operands[0];
    }
    if (code[at].opcode == Opcode::kAdd) {
      const scalar::Instruction &a = code[code[at].operands[0]], &b = code[code[at].operands[1]];
      if (a.opcode != Opcode::kInput || b.opcode != Opcode::kInput || a.index != 0 ||
          b.index != 1 || call_.inputs[2].size() != shape_.out_channels)
        return false;
      finish_.bias = call_.inputs[2].template as<T>();
      at = code[at].operands[0];
    }
    return code[at].opcode == Opcode::kInput && code[at].index == 0;
  }

  /// Rows [begin, end) of one image's results.
  void unit(int64_t image, int64_t begin, int64_t end, const Memory& memory) const {
    const int64_t first = (image * rows_ + begin) * columns_ * shape_.out_channels;
    T* values = memory.values.data();
    if (in_place()) values = call_.outputs[0].template as<T>() + first;
    if (!pools()) {
      correlator_.rows(input().template as<T>(), image, begin, end, memory.copy.data(), values);
    } else {
      uint8_t* positions = nullptr;
      if (op_.pooling == Pooling::kMaxWithPositions)
        positions = call_.outputs.back().template as<uint8_t>() + first;
      if (pools_in_registers_)
        correlator_.pooled_rows(input().template as<T>(), image, begin, end, columns_,
                                memory.copy.data(), values, positions, finish_);
      else
        for (int64_t i = begin; i < end; i += chunk_)
          chunk(image, i, std::min(end, i + chunk_), memory, values, positions, begin);
    }
    if (code_ != nullptr) finish(end - begin, first, values);
  }

  void chunk(int64_t image, int64_t begin, int64_t end, const Memory& memory, T* values,
             uint8_t* positions, int64_t unit) const {
    const int64_t from = inside(pool_.y, begin).from, to = inside(pool_.y, end - 1).to;
    correlator_.rows(input().template as<T>(), image, from, to, memory.copy.data(),
                     memory.rows.data());
    const int64_t done = (begin - unit) * columns_ * shape_.out_channels;
    max_pool_rows(PoolRows<T>{.windows = pool_,
                              .channels = shape_.out_channels,
                              .begin = begin,
                              .end = end,
                              .input = memory.rows.data(),
                              .first = from,
                              .values = values + done,
                              .positions = positions == nullptr ? nullptr : positions + done});
  }

  /// Runs the program on some rows. Operands are one row of channels, or lie like the values.
  void finish(int64_t rows, int64_t first, T* values) const {
    const Shape shape{rows, columns_, shape_.out_channels};
    InlineVector<Spec, 8> specs;
    InlineVector<View, 8> inputs, outputs;
    const size_t results = op_.epilogue->results().size();
    for (size_t i = 1; i < call_.inputs.size(); ++i) {
      const View& operand = call_.inputs[i];
      const bool whole = i == 1 || operand.shape() == call_.outputs[0].shape();
      specs.push_back(whole ? Spec{i == 1 ? dtype_of<T> : operand.dtype(), shape}
                            : Spec{operand.dtype(), {operand.size()}});
    }
    for (size_t i = 0; i < results; ++i) specs.push_back({call_.outputs[i].dtype(), shape});
    const auto part = [first](const View& view) {
      return view.as<char>() + first * static_cast<int64_t>(size_of(view.dtype()));
    };
    inputs.push_back({&specs[0], values});
    for (size_t i = 2; i < call_.inputs.size(); ++i) {
      const View& operand = call_.inputs[i];
      const bool whole = operand.shape() == call_.outputs[0].shape();
      inputs.push_back({&specs[i - 1], whole ? part(operand) : operand.data});
    }
    for (size_t i = 0; i < results; ++i)
      outputs.push_back({&specs[call_.inputs.size() - 1 + i], part(call_.outputs[i])});
    code_->run(inputs, outputs, {});
  }

  const Conv2DFused& op_;
  const KernelCall& call_;
  Conv2DShape shape_;
  Described described_;
  Correlator<T, T> correlator_;
  const Code* code_;
  Windows pool_{};
  int64_t rows_ = 0, columns_ = 0;  // of the results
  int64_t chunk_ = 0;               // rows that are pooled at a time
  bool pools_in_registers_ = false;
  typename Correlator<T, T>::Finish finish_;  // in registers, instead of the program
};

void fused(const Conv2DFused& op, const KernelCall& call) {
  if (call.outputs[0].size() == 0) return;
  if (call.inputs[0].dtype() == float64)
    FusedConvolution<double>(op, call).run();
  else
    FusedConvolution<float>(op, call).run();
}

const RegisterKernel<DeviceType::kCPU, Conv2DFused> registered{fused};

}  // namespace
}  // namespace alula::cpu
