#include "alula/backends/cuda/kernels/gather.h"

#include <algorithm>

#include "alula/backends/cuda/inline_program.h"
#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/movement.h"
#include "alula/ops/gather_elementwise.h"

namespace alula::cuda {
namespace {

/// Device code's Picks<Index>.
template <class Index>
struct DevicePicks {
  Index count, slices;
  DividerOf<Index> slice, chosen, repeats;
  int depth;
  Index dims[kMaxRank];

  /// `count` units of so many elements.
  DevicePicks(const Picks& picks, int64_t count, int64_t elements)
      : count(static_cast<Index>(count)),
        slices(static_cast<Index>(picks.dims.size())),
        slice(static_cast<Index>(picks.size / elements)),
        chosen(static_cast<Index>(picks.chosen)),
        repeats(static_cast<Index>(picks.repeats)),
        depth(picks.dims.rank()),
        dims{} {
    for (int i = 0; i < depth; ++i) dims[i] = static_cast<Index>(picks.dims[i]);
  }
};

Picks picks_of(const Gather& op, const View& params, const View& indices) {
  const int batch = op.batch(*params.spec, *indices.spec);
  const int axis = op.along(*params.spec, batch), rank = params.shape().rank();
  return {.repeats = params.shape().slice(batch, axis).size(),
          .chosen = indices.size() / params.shape().slice(0, batch).size(),
          .size = params.shape().slice(axis + 1, rank).size(),
          .dims = {params.shape()[axis]}};
}

}  // namespace

void gather_slices(const KernelCall& call, const View& params, const View& indices, const View& y,
                   const Picks& picks) {
  const Unit unit(params.dtype(), [&](int64_t elements, int64_t bytes) {
    return picks.size % elements == 0 && is_aligned(params.data, bytes) &&
           is_aligned(y.data, bytes);
  });
  const int64_t count = y.size() / unit.elements;
  with_index(std::max({params.size(), y.size(), indices.size()}), [&]<class Index>(Index) {
    launch(call,
           {"gather", fmt::format("gather<{}, {}, {}>", unit_name(unit.bytes),
                                  type_name(indices.dtype()), index_name<Index>())},
           grid_for(count), params.data, indices.data, y.data,
           DevicePicks<Index>(picks, count, unit.elements));
  });
}

namespace {

void run(const KernelCall& call, const Picks& picks) {
  gather_slices(call, call.inputs[0], call.inputs[1], call.outputs[0], picks);
}

const RegisterGpuKernel<Gather> registered_gather{
    [](const Gather& op, const KernelCall& call) {
      if (call.outputs[0].size() == 0) return;
      run(call, picks_of(op, call.inputs[0], call.inputs[1]));
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

/// The most neighbours that stay together in params, in the function's tensors and, where one of
/// them is a row, within rows.
int widest(const Picks& picks, const KernelCall& call, const InlineProgram& after) {
  const View &params = call.inputs[0], &y = call.outputs[0];
  const auto has_rows = [&](const View& operand) {
    return operand.size() > 1 && operand.shape() != y.shape();
  };
  const bool by_rows = std::ranges::any_of(call.inputs.subspan(2), has_rows);
  const auto bytes = static_cast<int64_t>(size_of(params.dtype()));
  int width = after.width;
  while (width > 1 && (picks.size % width != 0 || (by_rows && y.shape().back() % width != 0) ||
                       width * bytes > kMostUnitBytes || !is_aligned(params.data, width * bytes)))
    width /= 2;
  return width;
}

const RegisterGpuKernel<GatherElementwise> registered_gather_elementwise{
    [](const GatherElementwise& op, const KernelCall& call) {
      const View &params = call.inputs[0], &indices = call.inputs[1], &y = call.outputs[0];
      if (y.size() == 0) return;
      const Picks picks = picks_of(op.gather, params, indices);
      const InlineProgram after =
          program_after(op.program, params.dtype(), call.inputs.subspan(2), call.outputs);
      const int width = widest(picks, call, after);
      const int64_t count = y.size() / width;
      const int64_t columns = y.shape().rank() == 0 ? 1 : y.shape().back();
      with_index(std::max({params.size(), y.size(), indices.size()}), [&]<class Index>(Index) {
        launch(call,
               {"gather",
                fmt::format("gather_elementwise<{}, {}, {}, {}, After>", type_name(params.dtype()),
                            type_name(indices.dtype()), width, index_name<Index>()),
                after.source},
               grid_for(count), params.data, indices.data, DevicePicks<Index>(picks, count, width),
               DividerOf<Index>(static_cast<Index>(columns)), after.argument);
      });
    },
    kNumericOrBool};

}  // namespace
}  // namespace alula::cuda
