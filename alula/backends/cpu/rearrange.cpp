// The ops that read their input in another order: each is one strided copy, or a few.
#include <bitset>

#include "alula/backends/cpu/strided_copy.h"
#include "alula/ops/reverse.h"
#include "alula/ops/slice.h"
#include "alula/ops/strided_slice.h"
#include "alula/ops/tile.h"
#include "alula/ops/transpose.h"

namespace alula::cpu {
namespace {

const RegisterKernel<DeviceType::kCPU, Transpose> registered_transpose{
    [](const Transpose& op, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0];
      const auto from = steps_of(x.shape()), to = steps_of(y.shape());
      const Ints order = op.order(x.shape().rank());
      StridedCopy copy(x.dtype());
      for (int i = 0; i < y.shape().rank(); ++i) copy.add(y.shape()[i], from[order[i]], to[i]);
      copy.run(x.data, y.data);
    }};

const RegisterKernel<DeviceType::kCPU, Slice> registered_slice{
    [](const Slice& op, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0];
      if (y.size() == 0) return;
      const auto from = steps_of(x.shape()), to = steps_of(y.shape());
      StridedCopy copy(x.dtype());
      int64_t start = 0;
      for (int i = 0; i < y.shape().rank(); ++i) {
        copy.add(y.shape()[i], from[i], to[i]);
        start += op.begin[i] * from[i];
      }
      copy.run(element(x, start), y.data);
    }};

const RegisterKernel<DeviceType::kCPU, StridedSlice> registered_strided_slice{
    [](const StridedSlice& op, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0];
      if (y.size() == 0) return;
      const StridedSlice::Resolved slice = op.resolve(x.shape());
      const Shape sizes{std::span<const int64_t>(slice.size)};
      const auto from = steps_of(x.shape()), to = steps_of(sizes);
      StridedCopy copy(x.dtype());
      int64_t start = 0;
      for (int i = 0; i < sizes.rank(); ++i) {
        // The step of a single element may be anything, and its product overflow.
        copy.add(sizes[i], sizes[i] == 1 ? 0 : from[i] * slice.stride[i], to[i]);
        start += slice.begin[i] * from[i];
      }
      copy.run(element(x, start), y.data);
    }};

const RegisterKernel<DeviceType::kCPU, Reverse> registered_reverse{
    [](const Reverse& op, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0];
      if (y.size() == 0) return;
      const auto steps = steps_of(x.shape());
      const std::bitset<kMaxRank> backwards = op.axis.among(Reverse::kName, x.shape().rank());
      StridedCopy copy(x.dtype());
      int64_t start = 0;
      for (int i = 0; i < x.shape().rank(); ++i) {
        copy.add(x.shape()[i], backwards[i] ? -steps[i] : steps[i], steps[i]);
        if (backwards[i]) start += (x.shape()[i] - 1) * steps[i];
      }
      copy.run(element(x, start), y.data);
    }};

/// Copies the blocks that the cuts of the axes from `axis` on make: each axis is cut in two, and
/// the parts change places.
void roll_blocks(const View& x, const View& y, const Ints& shifts, Shape block, int axis,
                 int64_t from, int64_t to) {
  const Shape& shape = x.shape();
  const auto steps = steps_of(shape);
  if (axis == shape.rank()) {
    StridedCopy copy(x.dtype());
    for (int i = 0; i < shape.rank(); ++i) copy.add(block[i], steps[i], steps[i]);
    copy.run(element(x, from), element(y, to));
    return;
  }
  const int64_t shift = shifts[axis], kept = shape[axis] - shift, step = steps[axis];
  roll_blocks(x, y, shifts, block.with(axis, kept), axis + 1, from, to + shift * step);
  if (shift > 0)
    roll_blocks(x, y, shifts, block.with(axis, shift), axis + 1, from + kept * step, to);
}

const RegisterKernel<DeviceType::kCPU, Roll> registered_roll{
    [](const Roll& op, const KernelCall& call) {
      const View& x = call.inputs[0];
      if (x.size() == 0) return;
      roll_blocks(x, call.outputs[0], op.shifts(x.shape()), x.shape(), 0, 0, 0);
    }};

const RegisterKernel<DeviceType::kCPU, Tile> registered_tile{
    [](const Tile& op, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0];
      const auto from = steps_of(x.shape()), to = steps_of(y.shape());
      StridedCopy copy(x.dtype());
      for (int i = 0; i < x.shape().rank(); ++i) {
        copy.add(op.multiples[i], 0, to[i] * x.shape()[i]);
        copy.add(x.shape()[i], from[i], to[i]);
      }
      copy.run(x.data, y.data);
    }};

const RegisterKernel<DeviceType::kCPU, BroadcastTo> registered_broadcast_to{
    [](const BroadcastTo&, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0];
      const auto from = steps_of(x.shape()), to = steps_of(y.shape());
      const int extra = y.shape().rank() - x.shape().rank();
      StridedCopy copy(x.dtype());
      for (int i = 0; i < y.shape().rank(); ++i) {
        const bool repeats = i < extra || x.shape()[i - extra] == 1;
        copy.add(y.shape()[i], repeats ? 0 : from[i - extra], to[i]);
      }
      copy.run(x.data, y.data);
    }};

}  // namespace
}  // namespace alula::cpu
