#include "alula/backends/cuda/kernels/gather.h"

#include <algorithm>

#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/movement.h"
#include "alula/ops/gather.h"

namespace alula::cuda {
namespace {

/// Device code's Picks<Index>.
template <class Index>
struct DevicePicks {
  Index count, slices;
  DividerOf<Index> slice, chosen, repeats;
  int depth;
  Index dims[kMaxRank];
};

}  // namespace

void gather_slices(const KernelCall& call, const View& params, const View& indices, const View& y,
                   const Picks& picks) {
  const Unit unit(params.dtype(), [&](int64_t elements, int64_t bytes) {
    return picks.size % elements == 0 && is_aligned(params.data, bytes) &&
           is_aligned(y.data, bytes);
  });
  const int64_t count = y.size() / unit.elements;
  with_index(std::max({params.size(), y.size(), indices.size()}), [&]<class Index>(Index) {
    const auto index = [](int64_t i) { return static_cast<Index>(i); };
    DevicePicks<Index> argument{.count = index(count),
                                .slices = index(picks.dims.size()),
                                .slice = DividerOf<Index>(index(picks.size / unit.elements)),
                                .chosen = DividerOf<Index>(index(picks.chosen)),
                                .repeats = DividerOf<Index>(index(picks.repeats)),
                                .depth = picks.dims.rank(),
                                .dims = {}};
    for (int i = 0; i < picks.dims.rank(); ++i) argument.dims[i] = index(picks.dims[i]);
    launch(call,
           {"gather", fmt::format("gather<{}, {}, {}>", unit_name(unit.bytes),
                                  type_name(indices.dtype()), index_name<Index>())},
           grid_for(count), params.data, indices.data, y.data, argument);
  });
}

namespace {

void run(const KernelCall& call, const Picks& picks) {
  gather_slices(call, call.inputs[0], call.inputs[1], call.outputs[0], picks);
}

const RegisterGpuKernel<Gather> registered_gather{
    [](const Gather& op, const KernelCall& call) {
      const View &params = call.inputs[0], &indices = call.inputs[1];
      if (call.outputs[0].size() == 0) return;
      const int batch = op.batch(*params.spec, *indices.spec);
      const int axis = op.along(*params.spec, batch), rank = params.shape().rank();
      const int64_t batches = params.shape().slice(0, batch).size();
      run(call, {.repeats = params.shape().slice(batch, axis).size(),
                 .chosen = indices.size() / batches,
                 .size = params.shape().slice(axis + 1, rank).size(),
                 .dims = {params.shape()[axis]}});
    },
    kNumericOrBool};

const RegisterGpuKernel<GatherNd> registered_gather_nd{
    [](const GatherNd& op, const KernelCall& call) {
      const View &params = call.inputs[0], &indices = call.inputs[1];
      if (call.outputs[0].size() == 0) return;
      const auto batch = static_cast<int>(op.batch_dims);
      const Shape &from = params.shape(), &at = indices.shape();
      const int depth = static_cast<int>(at.back());
      run(call, {.repeats = 1,
                 .chosen = at.slice(batch, at.rank() - 1).size(),
                 .size = from.slice(batch + depth, from.rank()).size(),
                 .dims = from.slice(batch, batch + depth)});
    },
    kNumericOrBool};

}  // namespace
}  // namespace alula::cuda
