#include <algorithm>

#include "alula/backends/cuda/kernels.h"
#include "alula/backends/cuda/kernels/add_parts.h"
#include "alula/backends/cuda/kernels/conv2d.h"
#include "alula/backends/cuda/kernels/conv2d_constants.h"
#include "alula/ops/conv2d_gradients_at.h"

namespace alula::cuda {
namespace {

constexpr int64_t kMostTerms = 32;          // sums of a thread
constexpr int64_t kSharedBytes = 64 << 10;  // three such blocks fit a multiprocessor
constexpr int64_t kBlocksEach = 2;          // a multiprocessor

/// How the work is cut up: which weights a thread has the sums of, and the windows of a tile.
struct Tiling {
  int64_t term_y = 1, term_x = 1, term_c = 1;
  int64_t lanes = 1, channel_blocks = 1, filter_parts = 1;
  int64_t tile_y = 1, tile_x = 1, positions = 1;
  bool staged = true;
  int64_t shared_bytes = 0;

  int64_t terms() const { return term_y * term_x * term_c; }
};

class Cut {
 public:
  Cut(const Conv2DShape& shape, const Windows& pool, DType dtype)
      : shape_(shape), pool_(pool), bytes_(static_cast<int64_t>(size_of(dtype))) {
    // Where a group has few channels, its neighbours share the block, and nothing is staged.
    tiling_.staged = shape.groups == 1 || shape.group_out() >= 16;
    cut_filter();
    cut_channels();
    cut_rows();
    if (tiling_.staged && tile_bytes() > kSharedBytes) {
      tiling_.staged = false;
      cut_channels();
    }
    Tiling& t = tiling_;
    t.positions = std::clamp<int64_t>(t.tile_y * t.tile_x, 1, 2048 / bytes_ / t.lanes);
    const int64_t room = (t.terms() + 1) * t.lanes * t.positions * bytes_;
    t.shared_bytes = std::max(room, t.staged ? tile_bytes() : 0);
  }

  const Tiling& tiling() const { return tiling_; }
  int64_t tiles() const {
    return ceil_div(pool_.y.output, tiling_.tile_y) * ceil_div(pool_.x.output, tiling_.tile_x);
  }
  /// Blocks that share the images.
  int64_t parts() const {
    const int64_t each = kBlocksEach * current_card().multiprocessors();
    return std::clamp<int64_t>(each / (tiling_.channel_blocks * tiling_.filter_parts), 1,
                               shape_.batch * tiles());
  }

 private:
  /// All weights of a channel, or those of one row of taps, of one tap, or some of those.
  void cut_filter() {
    const int64_t in = shape_.group_in(), y = shape_.windows.y.size, x = shape_.windows.x.size;
    Tiling& t = tiling_;
    t.term_c = even_part(in, kMostTerms / 2);
    if (in == t.term_c && x * in <= kMostTerms) t.term_x = x;
    if (t.term_x == x && y * x * in <= kMostTerms) t.term_y = y;
    t.filter_parts = y / t.term_y * (x / t.term_x) * ceil_div(in, t.term_c);
  }

  void cut_channels() {
    const int64_t span = tiling_.staged ? shape_.group_out() : shape_.out_channels;
    tiling_.lanes = even_part(span, 32);
    tiling_.channel_blocks = ceil_div(span, tiling_.lanes) * (tiling_.staged ? shape_.groups : 1);
  }

  /// Whole images, or less where there are few of them.
  void cut_rows() {
    Tiling& t = tiling_;
    const int64_t wanted = kBlocksEach * current_card().multiprocessors();
    const auto too_large = [&] {
      const bool few = shape_.batch * tiles() * t.channel_blocks * t.filter_parts < wanted;
      return (t.staged && tile_bytes() > kSharedBytes / 2) || (few && t.tile_y * t.tile_x > 16);
    };
    t.tile_x = even_part(pool_.x.output, 64);
    t.tile_y = pool_.y.output;
    while (t.tile_y > 1 && too_large()) t.tile_y = ceil_div(t.tile_y, 2);
    while (t.tile_x > 8 && t.staged && tile_bytes() > kSharedBytes / 2)
      t.tile_x = ceil_div(t.tile_x, 2);
  }

  int64_t tile_bytes() const {
    Window y = shape_.windows.y, x = shape_.windows.x;
    y.size = tiling_.term_y;
    x.size = tiling_.term_x;
    return span_of(y, pool_.y, tiling_.tile_y) * span_of(x, pool_.x, tiling_.tile_x) *
           tiling_.term_c * bytes_;
  }

  const Conv2DShape& shape_;
  const Windows& pool_;
  int64_t bytes_;
  Tiling tiling_;
};

std::string shape_source(const Conv2DShape& shape, const Windows& pool, const Tiling& tiling,
                         bool bias) {
  Constants values = conv2d_constants(shape);
  add_pool(values, pool);
  for (const auto& entry : Constants{{"kTermY", tiling.term_y},
                                     {"kTermX", tiling.term_x},
                                     {"kTermC", tiling.term_c},
                                     {"kTileY", tiling.tile_y},
                                     {"kTileX", tiling.tile_x},
                                     {"kLanes", tiling.lanes},
                                     {"kPositions", tiling.positions},
                                     {"kStaged", tiling.staged},
                                     {"kBias", bias}})
    values.push_back(entry);
  return constants("Shape", values);
}

template <class T>
void run_typed(const Conv2DFilterGradientAt& op, const KernelCall& call) {
  const View &input = call.inputs[0], &values = call.inputs[1], &filter = call.outputs[0];
  const Conv2DShape shape = conv2d_shape(op.kName, *input.spec, *filter.spec, op);
  const Windows pool = pool2d_windows(op.kName, input.spec->with(conv2d_result(shape)), op.pool);
  InlineVector<View, 8> operands{values};
  for (const View& operand : call.inputs.subspan(3)) operands.push_back(operand);
  const InlineProgram before = program_before(op.prologue, operands);
  const Cut cut(shape, pool, input.dtype());
  const Tiling& tiling = cut.tiling();
  const int64_t size = filter.size() + (op.bias ? shape.out_channels : 0), parts = cut.parts();
  const Scratch scratch(static_cast<size_t>(parts * size) * sizeof(T));
  const Grid grid{
      .blocks = {static_cast<unsigned>(parts), static_cast<unsigned>(tiling.channel_blocks),
                 static_cast<unsigned>(tiling.filter_parts)},
      .threads = {static_cast<unsigned>(tiling.lanes * tiling.positions), 1, 1},
      .shared_bytes = static_cast<size_t>(tiling.shared_bytes)};
  launch(call,
         {"arithmetic conv2d_direct conv2d_winners",
          fmt::format("conv2d_filter_gradient_at<{}, Shape, Before>", type_name(input.dtype())),
          before.source + shape_source(shape, pool, tiling, op.bias)},
         grid, input.data, call.inputs[2].data, before.argument,
         static_cast<long long>(shape.batch), scratch.data());
  add_parts(call, {.parts = scratch.data(),
                   .dtype = input.dtype(),
                   .count = parts,
                   .size = size,
                   .first = &filter,
                   .second = op.bias ? &call.outputs[1] : nullptr});
}

void run(const Conv2DFilterGradientAt& op, const KernelCall& call) {
  if (call.outputs[0].size() == 0) return;
  if (call.inputs[1].size() == 0) {
    for (const View& output : call.outputs)
      current_card().clear(output.data, static_cast<size_t>(output.bytes()), call.queue);
    return;
  }
  if (conv2d_filter_at_by_library(op, call)) return;
  if (call.inputs[0].dtype() == float64)
    run_typed<double>(op, call);
  else
    run_typed<float>(op, call);
}

const RegisterGpuKernel<Conv2DFilterGradientAt> registered{&run, kNumericOrBool};

}  // namespace
}  // namespace alula::cuda
