// Putting tensors together along an axis, and taking them apart again.
#include "alula/ops/concat.h"

#include "alula/backends/cpu/strided_copy.h"
#include "alula/ops/split.h"

namespace alula::cpu {
namespace {

/// A whole tensor as rows, and its parts as pieces of these: one row for each combination of the
/// dimensions before the axis.
struct Rows {
  int64_t count = 1;   // of rows
  int64_t length = 1;  // of a row of the whole
  int64_t inner = 1;   // elements for each step along the axis

  Rows(const Shape& whole, int axis) {
    for (int i = 0; i < axis; ++i) count *= whole[i];
    for (int i = axis + 1; i < whole.rank(); ++i) inner *= whole[i];
    length = inner * whole[axis];
  }
};

/// Copies a part to where it stands in the whole: `start` elements into each row.
void join(const Rows& rows, const View& part, int64_t size, const View& whole, int64_t start) {
  StridedCopy copy(part.dtype());
  copy.add(rows.count, size, rows.length);
  copy.add(size, 1, 1);
  copy.run(part.data, element(whole, start));
}

/// The other way around.
void cut(const Rows& rows, const View& whole, int64_t start, const View& part, int64_t size) {
  StridedCopy copy(part.dtype());
  copy.add(rows.count, rows.length, size);
  copy.add(size, 1, 1);
  copy.run(element(whole, start), part.data);
}

const RegisterKernel<DeviceType::kCPU, Concat> registered_concat{
    [](const Concat& op, const KernelCall& call) {
      const View& whole = call.outputs[0];
      if (whole.size() == 0) return;
      const int axis = normalize_axis(Concat::kName, op.axis, whole.shape().rank());
      const Rows rows(whole.shape(), axis);
      int64_t start = 0;
      for (const View& part : call.inputs) {
        const int64_t size = part.shape()[axis] * rows.inner;
        join(rows, part, size, whole, start);
        start += size;
      }
    }};

const RegisterKernel<DeviceType::kCPU, Stack> registered_stack{
    [](const Stack& op, const KernelCall& call) {
      const View& whole = call.outputs[0];
      if (whole.size() == 0) return;
      const Rows rows(whole.shape(), normalize_axis(Stack::kName, op.axis, whole.shape().rank()));
      int64_t start = 0;
      for (const View& part : call.inputs) {
        join(rows, part, rows.inner, whole, start);
        start += rows.inner;
      }
    }};

const RegisterKernel<DeviceType::kCPU, Split> registered_split{
    [](const Split& op, const KernelCall& call) {
      const View& whole = call.inputs[0];
      if (whole.size() == 0) return;
      const int axis = normalize_axis(Split::kName, op.axis, whole.shape().rank());
      const Rows rows(whole.shape(), axis);
      int64_t start = 0;
      for (const View& part : call.outputs) {
        const int64_t size = part.shape()[axis] * rows.inner;
        cut(rows, whole, start, part, size);
        start += size;
      }
    }};

const RegisterKernel<DeviceType::kCPU, Unstack> registered_unstack{
    [](const Unstack& op, const KernelCall& call) {
      const View& whole = call.inputs[0];
      if (whole.size() == 0) return;
      const Rows rows(whole.shape(), normalize_axis(Unstack::kName, op.axis, whole.shape().rank()));
      int64_t start = 0;
      for (const View& part : call.outputs) {
        cut(rows, whole, start, part, rows.inner);
        start += rows.inner;
      }
    }};

}  // namespace
}  // namespace alula::cpu
