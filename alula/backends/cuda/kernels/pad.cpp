// The ops whose result is a frame around their input: some of it, or more than there is.
#include "alula/ops/pad.h"

#include <cstring>

#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/movement.h"
#include "alula/ops/crop_or_pad.h"
#include "alula/ops/fill.h"
#include "alula/ops/reverse.h"

namespace alula::cuda {
namespace {

/// One dimension: the result's size, the input's, and how many elements come before the input's
/// first one (less than none: so many are left out).
struct Dimension {
  int64_t size = 1, input = 1, before = 0, step = 1;
  bool whole() const { return size == input && before == 0; }
};

enum class Outside { kConstant, kReflect, kSymmetric, kAround };

std::string_view name_of(Outside outside) {
  switch (outside) {
    case Outside::kConstant: return "kConstant";
    case Outside::kReflect: return "kReflect";
    case Outside::kSymmetric: return "kSymmetric";
    default: return "kAround";
  }
}

struct alignas(kMostUnitBytes) Widest {
  uint64_t at[2];
};

class Frame {
 public:
  explicit Frame(Outside outside) : outside_(outside) {}

  /// Adds a dimension outside those added before. What is inside it and whole becomes part of it.
  void add(Dimension dim) {
    if (dims_.empty()) return dims_.push_back(dim);
    Dimension& inner = dims_.back();
    const bool mirrors = outside_ == Outside::kReflect || outside_ == Outside::kSymmetric;
    if (inner.whole() && (!mirrors || dim.whole())) {
      inner = {dim.size * inner.size, dim.input * inner.size, dim.before * inner.size, inner.step};
    } else {
      dim.step = inner.step * inner.input;
      dims_.push_back(dim);
    }
  }

  /// `value` is an element: what stands outside.
  void run(const KernelCall& call, uint64_t value) {
    const View &x = call.inputs[0], &y = call.outputs[0];
    if (dims_.empty()) dims_.push_back({});
    const Unit unit = use_units(x, y);
    // The value again and again, as long as the largest unit.
    const size_t width = size_of(x.dtype());
    Widest values;
    for (size_t i = 0; i < sizeof(values); i += width)
      std::memcpy(reinterpret_cast<char*>(&values) + i, &value, width);
    switch (unit.bytes) {
      case 1: return run_units(call, unit, static_cast<uint8_t>(values.at[0]));
      case 2: return run_units(call, unit, static_cast<uint16_t>(values.at[0]));
      case 4: return run_units(call, unit, static_cast<uint32_t>(values.at[0]));
      case 8: return run_units(call, unit, values.at[0]);
      default: return run_units(call, unit, values);
    }
  }

 private:
  Unit use_units(const View& x, const View& y) {
    Dimension& row = dims_[0];
    const bool mirrors = outside_ == Outside::kReflect || outside_ == Outside::kSymmetric;
    const Unit unit(x.dtype(), [&](int64_t elements, int64_t bytes) {
      return (!mirrors || row.whole()) && row.size % elements == 0 && row.input % elements == 0 &&
             row.before % elements == 0 && is_aligned(x.data, bytes) && is_aligned(y.data, bytes);
    });
    row.size /= unit.elements;
    row.input /= unit.elements;
    row.before /= unit.elements;
    for (size_t i = 1; i < dims_.size(); ++i) dims_[i].step /= unit.elements;
    return unit;
  }

  /// Device code's Framed<Index>.
  template <class Index>
  struct Framed {
    Index count;
    int rank;
    DividerOf<Index> dims[kMaxRank];
    Index sizes[kMaxRank], before[kMaxRank], steps[kMaxRank];
  };

  template <class T>
  void run_units(const KernelCall& call, const Unit& unit, T outside) const {
    const View &x = call.inputs[0], &y = call.outputs[0];
    const int64_t count = y.size() / unit.elements;
    with_index(2 * std::max(x.size(), y.size()), [&]<class Index>(Index) {
      const auto index = [](int64_t i) { return static_cast<Index>(i); };
      Framed<Index> framed{.count = index(count), .rank = static_cast<int>(dims_.size())};
      for (size_t i = 0; i < dims_.size(); ++i) {
        framed.dims[i] = DividerOf<Index>(index(dims_[i].size));
        framed.sizes[i] = index(dims_[i].input);
        framed.before[i] = index(dims_[i].before);
        framed.steps[i] = index(dims_[i].step);
      }
      launch(call,
             {"frame", fmt::format("framed_copy<{}, {}, {}>", unit_name(unit.bytes),
                                   name_of(outside_), index_name<Index>())},
             grid_for(count), x.data, y.data, outside, framed);
    });
  }

  Outside outside_;
  Dimensions<Dimension, kMaxRank> dims_;  // innermost first
};

Outside outside_of(PadMode mode) {
  switch (mode) {
    case PadMode::kConstant: return Outside::kConstant;
    case PadMode::kReflect: return Outside::kReflect;
    default: return Outside::kSymmetric;
  }
}

const RegisterGpuKernel<Pad> registered_pad{
    [](const Pad& op, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0];
      if (y.size() == 0) return;
      Frame frame(outside_of(op.mode));
      for (int i = x.shape().rank() - 1; i >= 0; --i)
        frame.add({y.shape()[i], x.shape()[i], op.paddings[i].before});
      uint64_t value = 0;
      if (op.mode == PadMode::kConstant) store_element(op.constant_values, x.dtype(), &value);
      frame.run(call, value);
    },
    kNumericOrBool};

const RegisterGpuKernel<CropOrPad> registered_crop_or_pad{
    [](const CropOrPad& op, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0];
      if (y.size() == 0) return;
      const int rank = x.shape().rank();
      Frame frame(Outside::kConstant);
      for (int i = rank - 1; i >= 0; --i) {
        const int64_t dim = x.shape()[i];
        int64_t before = 0;
        if (i == rank - 2) before = -op.width.of(op.kName, "width", dim).begin;
        if (i == rank - 3) before = -op.height.of(op.kName, "height", dim).begin;
        // Further outside nothing changes.
        frame.add({y.shape()[i], dim, std::clamp(before, -dim, y.shape()[i])});
      }
      frame.run(call, 0);
    },
    kNumericOrBool};

const RegisterGpuKernel<Roll> registered_roll{
    [](const Roll& op, const KernelCall& call) {
      const View& x = call.inputs[0];
      if (x.size() == 0) return;
      const Ints shifts = op.shifts(x.shape());
      Frame frame(Outside::kAround);
      for (int i = x.shape().rank() - 1; i >= 0; --i)
        frame.add({x.shape()[i], x.shape()[i], shifts[i]});
      frame.run(call, 0);
    },
    kNumericOrBool};

}  // namespace
}  // namespace alula::cuda
