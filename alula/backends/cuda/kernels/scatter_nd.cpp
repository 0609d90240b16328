#include "alula/ops/scatter_nd.h"

#include <algorithm>
#include <bit>

#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/movement.h"
#include "alula/backends/cuda/kernels/radix_sort.h"

namespace alula::cuda {
namespace {

constexpr std::string_view kFiles = "arithmetic scatter";

/// Device code's.
struct Positions {
  int depth;
  long long dims[kMaxRank];
};

/// Updates: which slice of the result each goes to (of the dtype of indices, or int64).
struct Updates {
  const void* slices;
  DType dtype;
  int64_t count;
  int64_t most;   // slices that the result has
  int64_t slice;  // elements of one
};

/// Every block compares its update's slice with all others: quick while those are few.
void scatter_few(const KernelCall& call, const Updates& updates) {
  const View &from = call.inputs[1], &y = call.outputs[0];
  constexpr int kWarps = 8;
  const int columns = updates.slice > 32 ? 4 : 1;
  const int64_t pieces = (updates.slice + 32 * columns - 1) / (32 * columns);
  launch(call,
         {kFiles, fmt::format("scatter_few<{}, {}, {}>", type_name(y.dtype()),
                              type_name(updates.dtype), columns)},
         {.blocks = {static_cast<unsigned>(updates.count),
                     static_cast<unsigned>(std::min<int64_t>(pieces, 1024)), 1},
          .threads = {32, kWarps, 1}},
         updates.slices, from.data, y.data, static_cast<int>(updates.count),
         static_cast<long long>(updates.most), static_cast<int>(updates.slice));
}

/// The updates are sorted by their slice.
template <class Key>
void scatter_many(const KernelCall& call, const Updates& updates) {
  const View &from = call.inputs[1], &y = call.outputs[0];
  RadixSort sort({.rows = 1, .length = updates.count, .wide = sizeof(Key) == 8, .pairs = true});
  const auto key = index_name<Key>(), type = type_name(y.dtype());
  const auto count = static_cast<long long>(updates.count);
  const auto slice = static_cast<long long>(updates.slice);
  const auto most = static_cast<Key>(updates.most);
  launch(call, {kFiles, fmt::format("write_slices<{}, {}>", type_name(updates.dtype), key)},
         grid_for(count), updates.slices, count, static_cast<long long>(updates.most), sort.keys(),
         sort.positions());
  sort.run(call, (std::bit_width(static_cast<uint64_t>(updates.most)) + 7) / 8);
  constexpr int64_t kPiece = 256;  // as device code has it
  const int64_t pieces = (updates.count + kPiece - 1) / kPiece;
  const Scratch begun(static_cast<size_t>(pieces * updates.slice) * sizeof(double));
  const Scratch going_on(begun.bytes());
  launch(call, {kFiles, fmt::format("add_pieces<{}, {}>", type, key)}, grid_for(count * slice),
         sort.keys(), sort.positions(), from.data, y.data, begun.data(), going_on.data(), count,
         most, slice);
  launch(call, {kFiles, fmt::format("join_pieces<{}, {}>", type, key)}, grid_for(pieces * slice),
         sort.keys(), y.data, begun.data(), going_on.data(), count, most, slice);
}

void scatter(const KernelCall& call, const Updates& updates) {
  constexpr int64_t kFew = 4096;
  if (updates.count <= kFew && updates.slice <= INT32_MAX)
    scatter_few(call, updates);
  else if (updates.most < UINT32_MAX)
    scatter_many<uint32_t>(call, updates);
  else
    scatter_many<uint64_t>(call, updates);
}

const RegisterGpuKernel<ScatterNd> registered{
    [](const ScatterNd& op, const KernelCall& call) {
      const View &indices = call.inputs[0], &y = call.outputs[0];
      if (y.size() == 0) return;
      current_card().clear(y.data, static_cast<size_t>(y.bytes()), call.queue);
      const auto depth = static_cast<int>(indices.shape().back());
      const Shape dims = op.shape.slice(0, depth);
      Updates updates{.slices = indices.data,
                      .dtype = indices.dtype(),
                      .count = indices.shape().slice(0, indices.shape().rank() - 1).size(),
                      .most = dims.size(),
                      .slice = op.shape.slice(depth, op.shape.rank()).size()};
      if (updates.count == 0) return;
      if (depth == 1) return scatter(call, updates);
      const Scratch slices(static_cast<size_t>(updates.count) * sizeof(int64_t));
      Positions positions{.depth = depth, .dims = {}};
      for (int i = 0; i < depth; ++i) positions.dims[i] = dims[i];
      launch(call, {kFiles, fmt::format("find_slices<{}>", type_name(indices.dtype()))},
             grid_for(updates.count), indices.data, slices.data(),
             static_cast<long long>(updates.count), positions);
      updates.slices = slices.data();
      updates.dtype = int64;
      scatter(call, updates);
    },
    kNumericOrBool};

}  // namespace
}  // namespace alula::cuda
