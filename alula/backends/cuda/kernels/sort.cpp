#include "alula/ops/sort.h"

#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/radix_sort.h"
#include "alula/backends/cuda/kernels/sort.h"

namespace alula::cuda {
namespace {

/// Device code's ToValues<T> and ToPositions.
struct ToValues {
  void* out;
  RowsAlong rows;
  int descending;
};
struct ToPositions {
  void* out;
  RowsAlong rows;
};

/// Rows that are too long for a block.
void sort_long(const KernelCall& call, const AlongAxis& shape, bool descending, bool values) {
  const View &x = call.inputs[0], &y = call.outputs[0];
  RadixSort sort({.rows = shape.outer * shape.inner,
                  .length = shape.length,
                  .wide = key_bytes(x.dtype()) == 8,
                  .pairs = !values});
  const RowsAlong rows{shape.length, shape.inner};
  const auto type = type_name(x.dtype());
  const auto count = static_cast<long long>(x.size());
  const Grid grid = grid_for(count);
  launch(call, {kRadixFiles, fmt::format("write_keys<{}, {}>", type, !values)}, grid, x.data, rows,
         count, static_cast<int>(descending), sort.keys(), sort.positions());
  sort.run(call, static_cast<int>(size_of(x.dtype())));
  if (values)
    launch(call, {kRadixFiles, fmt::format("read_keys<{}>", type)}, grid, sort.keys(), rows, count,
           static_cast<int>(descending), y.data);
  else
    launch(call, {kRadixFiles, "read_positions"}, grid, sort.positions(), rows, count, y.data);
}

void run(const SortOptions& options, const KernelCall& call, bool values) {
  const View &x = call.inputs[0], &y = call.outputs[0];
  if (x.size() == 0) return;
  const AlongAxis shape(x.shape(), options.axis);
  const bool descending = options.direction == SortDirection::kDescending;
  const BlockSort sort{.rows = shape.outer * shape.inner,
                       .length = shape.length,
                       .item_bytes = values ? key_bytes(x.dtype()) : ranked_bytes(x.dtype())};
  if (sort.chunks() > 1) return sort_long(call, shape, descending, values);
  const RowsAlong rows{shape.length, shape.inner};
  const KeysFrom from{x.data, rows, descending};
  const auto type = type_name(x.dtype());
  if (values)
    sort.run(call, fmt::format("Keys<{0}>, ToValues<{0}>", type), from,
             ToValues{y.data, rows, descending}, shape.length);
  else
    sort.run(call, fmt::format("RankedKeys<{}>, ToPositions", type), from,
             ToPositions{y.data, rows}, shape.length);
}

const RegisterGpuKernel<Sort> sort_registered{
    [](const Sort& op, const KernelCall& call) { run(op, call, true); }, kNumeric};
const RegisterGpuKernel<ArgSort> argsort_registered{
    [](const ArgSort& op, const KernelCall& call) { run(op, call, false); }, kNumeric};

}  // namespace
}  // namespace alula::cuda
