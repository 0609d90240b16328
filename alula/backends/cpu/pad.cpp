#include "alula/ops/pad.h"

#include <string>

#include "alula/backends/cpu/strided_copy.h"
#include "alula/ops/fill.h"

namespace alula::cpu {
namespace {

/// The output as boxes, each written once: the input in the middle, and for each axis a border
/// before and after it. A border spans the whole of the axes inside its own, and only the middle of
/// those outside it.
class Padding {
 public:
  Padding(const Pad& op, const View& input, const View& output)
      : op_(op),
        x_(input),
        y_(output),
        x_steps_(steps_of(input.shape())),
        y_steps_(steps_of(output.shape())) {}

  void copy_middle() const {
    StridedCopy copy(x_.dtype());
    int64_t start = 0;
    for (int i = 0; i < x_.shape().rank(); ++i) {
      copy.add(x_.shape()[i], x_steps_[i], y_steps_[i]);
      start += op_.paddings[i].before * y_steps_[i];
    }
    copy.run(x_.data, element(y_, start));
  }

  /// `value` is an element.
  void fill_border(int axis, bool before, const void* value) const {
    StridedCopy copy(x_.dtype());
    const int64_t start = add_box(copy, axis, size(axis, before), [](int) { return 0; });
    copy.run(value, element(y_, start + border(axis, before)));
  }

  /// Mirrors the part of the output that the border stands beside; the axes inside are filled
  /// already.
  void mirror_border(int axis, bool before) const {
    const int64_t size = this->size(axis, before);
    StridedCopy copy(x_.dtype());
    const int64_t start =
        add_box(copy, axis, size, [&](int i) { return i == axis ? -y_steps_[i] : y_steps_[i]; });
    // The element at the edge is left out, or comes first.
    const int64_t skipped = op_.mode == PadMode::kReflect ? 1 : 0;
    const int64_t first = op_.paddings[axis].before, end = first + x_.shape()[axis];
    const int64_t source = before ? first + skipped + size - 1 : end - 1 - skipped;
    copy.run(element(y_, start + source * y_steps_[axis]),
             element(y_, start + border(axis, before)));
  }

 private:
  int64_t size(int axis, bool before) const {
    return before ? op_.paddings[axis].before : op_.paddings[axis].after;
  }
  /// Where the border of an axis starts, along the axis.
  int64_t border(int axis, bool before) const {
    return before ? 0 : (op_.paddings[axis].before + x_.shape()[axis]) * y_steps_[axis];
  }

  /// Adds the dimensions of a border; `from(i)` is the step on the input's side. Returns where it
  /// starts along the axes outside its own.
  template <class From>
  int64_t add_box(StridedCopy& copy, int axis, int64_t size, const From& from) const {
    int64_t start = 0;
    for (int i = 0; i < y_.shape().rank(); ++i) {
      const int64_t extent = i < axis ? x_.shape()[i] : i == axis ? size : y_.shape()[i];
      copy.add(extent, from(i), y_steps_[i]);
      if (i < axis) start += op_.paddings[i].before * y_steps_[i];
    }
    return start;
  }

  const Pad& op_;
  const View &x_, &y_;
  std::array<int64_t, kMaxRank> x_steps_, y_steps_;
};

const RegisterKernel<DeviceType::kCPU, Pad> registered{[](const Pad& op, const KernelCall& call) {
  const View &x = call.inputs[0], &y = call.outputs[0];
  if (y.size() == 0) return;
  const Padding padding(op, x, y);
  padding.copy_middle();
  const std::string empty;
  uint64_t number = 0;
  if (op.mode == PadMode::kConstant && x.dtype() != string)
    store_element(op.constant_values, x.dtype(), &number);
  const void* value = x.dtype() == string ? static_cast<const void*>(&empty) : &number;
  for (int axis = x.shape().rank() - 1; axis >= 0; --axis)
    for (const bool before : {true, false}) {
      if (op.mode == PadMode::kConstant)
        padding.fill_border(axis, before, value);
      else
        padding.mirror_border(axis, before);
    }
}};

}  // namespace
}  // namespace alula::cpu
