// The ops that read their input in another order: each is one strided copy.
#include <bitset>

#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/movement.h"
#include "alula/ops/reverse.h"
#include "alula/ops/slice.h"
#include "alula/ops/strided_slice.h"
#include "alula/ops/tile.h"
#include "alula/ops/transpose.h"

namespace alula::cuda {
namespace {

const RegisterGpuKernel<Transpose> registered_transpose{
    [](const Transpose& op, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0];
      const auto from = steps_of(x.shape());
      const Ints order = op.order(x.shape().rank());
      StridedCopy copy;
      for (int i = 0; i < y.shape().rank(); ++i) copy.add(y.shape()[i], from[order[i]]);
      copy.run(call, x, 0, y);
    },
    kNumericOrBool};

const RegisterGpuKernel<Slice> registered_slice{[](const Slice& op, const KernelCall& call) {
                                                  const View &x = call.inputs[0],
                                                             &y = call.outputs[0];
                                                  const auto from = steps_of(x.shape());
                                                  StridedCopy copy;
                                                  int64_t start = 0;
                                                  for (int i = 0; i < y.shape().rank(); ++i) {
                                                    copy.add(y.shape()[i], from[i]);
                                                    start += op.begin[i] * from[i];
                                                  }
                                                  copy.run(call, x, start, y);
                                                },
                                                kNumericOrBool};

const RegisterGpuKernel<StridedSlice> registered_strided_slice{
    [](const StridedSlice& op, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0];
      if (y.size() == 0) return;
      const StridedSlice::Resolved slice = op.resolve(x.shape());
      const auto from = steps_of(x.shape());
      StridedCopy copy;
      int64_t start = 0;
      for (int i = 0; i < x.shape().rank(); ++i) {
        // The step of a single element may be anything, and its product overflow.
        copy.add(slice.size[i], slice.size[i] == 1 ? 0 : from[i] * slice.stride[i]);
        start += slice.begin[i] * from[i];
      }
      copy.run(call, x, start, y);
    },
    kNumericOrBool};

const RegisterGpuKernel<Reverse> registered_reverse{
    [](const Reverse& op, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0];
      if (y.size() == 0) return;
      const auto steps = steps_of(x.shape());
      const std::bitset<kMaxRank> backwards = op.axis.among(Reverse::kName, x.shape().rank());
      StridedCopy copy;
      int64_t start = 0;
      for (int i = 0; i < x.shape().rank(); ++i) {
        copy.add(x.shape()[i], backwards[i] ? -steps[i] : steps[i]);
        if (backwards[i]) start += (x.shape()[i] - 1) * steps[i];
      }
      copy.run(call, x, start, y);
    },
    kNumericOrBool};

const RegisterGpuKernel<Tile> registered_tile{[](const Tile& op, const KernelCall& call) {
                                                const View &x = call.inputs[0],
                                                           &y = call.outputs[0];
                                                if (y.size() == 0) return;
                                                const auto from = steps_of(x.shape());
                                                StridedCopy copy;
                                                for (int i = 0; i < x.shape().rank(); ++i) {
                                                  copy.add(op.multiples[i], 0);
                                                  copy.add(x.shape()[i], from[i]);
                                                }
                                                copy.run(call, x, 0, y);
                                              },
                                              kNumericOrBool};

const RegisterGpuKernel<BroadcastTo> registered_broadcast_to{
    [](const BroadcastTo&, const KernelCall& call) {
      const View &x = call.inputs[0], &y = call.outputs[0];
      const auto from = steps_of(x.shape());
      const int extra = y.shape().rank() - x.shape().rank();
      StridedCopy copy;
      for (int i = 0; i < y.shape().rank(); ++i) {
        const bool repeats = i < extra || x.shape()[i - extra] == 1;
        copy.add(y.shape()[i], repeats ? 0 : from[i - extra]);
      }
      copy.run(call, x, 0, y);
    },
    kNumericOrBool};

}  // namespace
}  // namespace alula::cuda
