#include <algorithm>

#include "alula/backends/cuda/kernels/conv2d.h"
#include "alula/backends/cuda/kernels/conv2d_constants.h"

namespace alula::cuda {
namespace {

constexpr int64_t kThreads = 256;
constexpr int64_t kStrip = 4;  // neighbouring results of one thread, where there is no pooling
constexpr int64_t kSharedBytes = 96 << 10;  // two such blocks fit a multiprocessor
constexpr int64_t kBlocksEach = 4;          // a multiprocessor: then they may do more work each

/// Windows of one row, several results in each.
Windows strips(const Windows& results) {
  const int64_t width = std::min(kStrip, results.x.output);
  return {.y = {.input = results.y.output, .output = results.y.output},
          .x = {.input = results.x.output,
                .size = width,
                .stride = width,
                .output = ceil_div(results.x.output, width)}};
}

bool stays_inside(const Window& window) {
  return window.before == 0 && (window.output - 1) * window.stride + window.size <= window.input;
}

/// How the work is cut up.
struct Tiling {
  int64_t each = 1, lanes = 1, channel_blocks = 1;
  int64_t tile_y = 1, tile_x = 1, positions = 1;
  bool staged = true;
  int64_t shared_bytes = 0;
};

class Direct {
 public:
  Direct(const Conv2DShape& shape, const Windows& pool, DType dtype, int width)
      : shape_(shape), pool_(pool), bytes_(static_cast<int64_t>(size_of(dtype))) {
    // Where a group has few channels, its neighbours share the block, and nothing is staged.
    tiling_.staged = shape.groups == 1 || shape.group_out() >= 16;
    cut_channels(width);
    cut_rows();
    if (tiling_.staged && shared_bytes() > kSharedBytes) {
      tiling_.staged = false;
      cut_channels(1);
      cut_rows();
    }
    if (tiling_.staged) tiling_.shared_bytes = shared_bytes();
    tiling_.positions = std::clamp<int64_t>(tiling_.tile_y * tiling_.tile_x, 1,
                                            std::max<int64_t>(1, kThreads / tiling_.lanes));
  }

  const Tiling& tiling() const { return tiling_; }
  int64_t tiles() const {
    return ceil_div(pool_.y.output, tiling_.tile_y) * ceil_div(pool_.x.output, tiling_.tile_x);
  }

 private:
  void cut_channels(int64_t width) {
    Tiling& t = tiling_;
    const int64_t span = t.staged ? shape_.group_out() : shape_.out_channels;
    t.each = t.staged ? width : 1;
    while (span % t.each != 0) t.each /= 2;
    t.lanes = even_part(span / t.each, 32);
    t.channel_blocks = ceil_div(span / t.each, t.lanes) * (t.staged ? shape_.groups : 1);
  }

  /// A block takes more rows as long as others are left for the rest of the card.
  void cut_rows() {
    Tiling& t = tiling_;
    t.tile_x = even_part(pool_.x.output, 32);
    t.tile_y = 1;
    const int64_t wanted = kBlocksEach * current_card().multiprocessors();
    while (t.tile_y < pool_.y.output) {
      const Tiling before = t;
      t.tile_y = even_part(pool_.y.output, 2 * t.tile_y);
      const bool large = t.staged && shared_bytes() > kSharedBytes / 2;
      if (large || shape_.batch * tiles() * t.channel_blocks < wanted ||
          t.tile_y == before.tile_y) {
        t = before;
        return;
      }
    }
  }

  int64_t shared_bytes() const {
    const int64_t image = span_of(shape_.windows.y, pool_.y, tiling_.tile_y) *
                          span_of(shape_.windows.x, pool_.x, tiling_.tile_x);
    const int64_t weights = shape_.taps() * tiling_.lanes * tiling_.each;
    return (image + weights) * shape_.group_in() * bytes_;
  }

  const Conv2DShape& shape_;
  const Windows& pool_;
  int64_t bytes_;
  Tiling tiling_;
};

std::string shape_source(const Conv2DShape& shape, const Windows& pool, const Tiling& tiling,
                         bool pools) {
  Constants values = conv2d_constants(shape);
  add_pool(values, pool);
  for (const auto& entry : Constants{{"kPools", pools},
                                     {"kPoolInside", stays_inside(pool.y) && stays_inside(pool.x)},
                                     {"kTileY", tiling.tile_y},
                                     {"kTileX", tiling.tile_x},
                                     {"kLanes", tiling.lanes},
                                     {"kEach", tiling.each},
                                     {"kPositions", tiling.positions},
                                     {"kStaged", tiling.staged}})
    values.push_back(entry);
  return constants("Shape", values);
}

}  // namespace

void conv2d_directly(const KernelCall& call, const Conv2DShape& shape, const Windows* pooled,
                     unsigned char* positions, const InlineProgram& after) {
  const View &input = call.inputs[0], &filter = call.inputs[1];
  const Windows pool = pooled != nullptr ? *pooled : strips(shape.windows);
  const Direct direct(shape, pool, input.dtype(), after.width);
  const Tiling& tiling = direct.tiling();
  const Grid grid{.blocks = {static_cast<unsigned>(shape.batch * direct.tiles()),
                             static_cast<unsigned>(tiling.channel_blocks), 1},
                  .threads = {static_cast<unsigned>(tiling.lanes * tiling.positions), 1, 1},
                  .shared_bytes = static_cast<size_t>(tiling.shared_bytes)};
  launch(call,
         {"arithmetic conv2d_direct",
          fmt::format("conv2d_fused<{}, Shape, After>", type_name(input.dtype())),
          after.source + shape_source(shape, pool, tiling, pooled != nullptr)},
         grid, input.data, filter.data, positions, after.argument);
}

}  // namespace alula::cuda
