#include "alula/ops/top_k.h"

#include <memory>

#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/radix_sort.h"
#include "alula/backends/cuda/kernels/sort.h"

namespace alula::cuda {
namespace {

/// Device code's.
struct ItemsFrom {
  const void* x;
  long long length;
};
struct ToItems {
  void* out;
  long long length;
};
struct ToTop {
  const void* x;
  void *values, *indices;
  long long length, k;
};

/// The rows are sorted whole.
void select_by_sorting(const KernelCall& call, int64_t rows, int64_t n, int64_t k) {
  const View& x = call.inputs[0];
  RadixSort sort({.rows = rows, .length = n, .wide = key_bytes(x.dtype()) == 8, .pairs = true});
  const auto type = type_name(x.dtype());
  launch(call, {kRadixFiles, fmt::format("write_keys<{}, true>", type)}, grid_for(x.size()), x.data,
         RowsAlong{n, 1}, static_cast<long long>(x.size()), 1, sort.keys(), sort.positions());
  sort.run(call, static_cast<int>(size_of(x.dtype())));
  launch(call, {kRadixFiles, fmt::format("read_top<{}>", type)}, grid_for(rows * k), x.data,
         sort.positions(), static_cast<long long>(n), static_cast<long long>(k),
         static_cast<long long>(rows * k), call.outputs[0].data, call.outputs[1].data);
}

/// Blocks keep the best k of their chunk of a row, until what is left fits one block.
void select_by_rounds(const KernelCall& call, int64_t rows, int64_t n, int64_t k) {
  const View& x = call.inputs[0];
  const auto type = type_name(x.dtype());
  const std::string item = fmt::format("Ranked<{}>", type);
  const ToTop top{x.data, call.outputs[0].data, call.outputs[1].data, n, k};
  BlockSort round{.rows = rows, .length = n, .item_bytes = ranked_bytes(x.dtype())};
  std::unique_ptr<Scratch> items;
  const KeysFrom keys{x.data, {n, 1}, 1};
  while (round.chunks() > 1) {
    const int64_t left = round.chunks() * k;
    auto kept = std::make_unique<Scratch>(static_cast<size_t>(rows * left * round.item_bytes));
    const ToItems to{kept->data(), left};
    if (items == nullptr)
      round.run(call, fmt::format("RankedKeys<{}>, ToItems<{}>", type, item), keys, to, k);
    else
      round.run(call, fmt::format("Items<{0}>, ToItems<{0}>", item),
                ItemsFrom{items->data(), round.length}, to, k);
    items = std::move(kept);
    round.length = left;
  }
  if (items == nullptr)
    round.run(call, fmt::format("RankedKeys<{0}>, ToTop<{0}>", type), keys, top, k);
  else
    round.run(call, fmt::format("Items<{}>, ToTop<{}>", item, type),
              ItemsFrom{items->data(), round.length}, top, k);
}

const RegisterGpuKernel<TopK> top_k_registered{
    [](const TopK& op, const KernelCall& call) {
      const View& x = call.inputs[0];
      if (call.outputs[0].size() == 0) return;
      const int64_t n = x.shape().back(), rows = x.size() / n;
      const int64_t most = most_in_block(ranked_bytes(x.dtype()));
      if (n > most && op.k > most / 4)
        select_by_sorting(call, rows, n, op.k);
      else
        select_by_rounds(call, rows, n, op.k);
    },
    kNumeric};

const RegisterGpuKernel<InTopK> in_top_k_registered{
    [](const InTopK& op, const KernelCall& call) {
      const View &targets = call.inputs[0], &predictions = call.inputs[1];
      if (targets.size() == 0) return;
      constexpr unsigned kWarps = 4;
      const auto rows = static_cast<unsigned>(targets.size());
      launch(call,
             {"search", fmt::format("in_top_k<{}, {}>", type_name(predictions.dtype()),
                                    type_name(targets.dtype()))},
             {.blocks = {(rows + kWarps - 1) / kWarps, 1, 1}, .threads = {32, kWarps, 1}},
             targets.data, predictions.data, call.outputs[0].data, static_cast<long long>(rows),
             static_cast<long long>(predictions.shape()[1]), static_cast<long long>(op.k));
    },
    kFloating | DTypeSet{int32, int64}};

}  // namespace
}  // namespace alula::cuda
