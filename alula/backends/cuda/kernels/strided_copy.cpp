#include "alula/backends/cuda/kernels/movement.h"

namespace alula::cuda {
namespace {

using Dimension = StridedCopy::Dimension;
constexpr int kMost = StridedCopy::kMost;

/// What is left of a copy after merging: dimensions from the innermost outwards, in units.
struct Plan {
  Dimensions<Dimension, kMost> dims;
  int64_t start = 0;
  Unit unit;

  int64_t count() const {
    int64_t count = 1;
    for (const Dimension& dim : dims) count *= dim.size;
    return count;
  }
  /// The furthest position on either side.
  int64_t most() const {
    int64_t reach = start;
    for (const Dimension& dim : dims) reach += std::max<int64_t>(dim.from, 0) * (dim.size - 1);
    return std::max(count(), reach + 1);
  }
};

/// Neighbours that stay together become one unit.
Plan plan_of(const Dimensions<Dimension, kMost>& outermost_first, const View& x, int64_t start,
             const View& y) {
  Plan plan{.dims = {}, .start = start, .unit = Unit(x.dtype())};
  for (size_t i = outermost_first.size(); i-- > 0;) plan.dims.push_back(outermost_first[i]);
  if (plan.dims.empty()) plan.dims.push_back({1, 1});
  Dimension& row = plan.dims[0];
  if (row.from != 1) return plan;
  plan.unit = Unit(x.dtype(), [&](int64_t elements, int64_t bytes) {
    bool fits = row.size % elements == 0 && start % elements == 0 && is_aligned(x.data, bytes) &&
                is_aligned(y.data, bytes);
    for (size_t i = 1; i < plan.dims.size(); ++i) fits = fits && plan.dims[i].from % elements == 0;
    return fits;
  });
  row.size /= plan.unit.elements;
  plan.start /= plan.unit.elements;
  for (size_t i = 1; i < plan.dims.size(); ++i) plan.dims[i].from /= plan.unit.elements;
  if (row.size == 1 && plan.dims.size() > 1) plan.dims.pop_front();
  return plan;
}

/// Device code's Strided<Index>.
template <class Index>
struct Strided {
  Index count, start;
  int rank;
  DividerOf<Index> dims[kMost];
  Index steps[kMost];
};

/// How many neighbours of a row a thread takes: one access's worth, unless that leaves too few
/// threads for the card.
int64_t width_for(const Plan& plan, const View& y) {
  constexpr int64_t kMostLoads = 8, kThreadsEach = 512;
  int64_t width = std::min(kMostUnitBytes / plan.unit.bytes, kMostLoads);
  const int64_t enough = kThreadsEach * current_card().multiprocessors();
  while (width > 1 && (plan.dims[0].size % width != 0 || plan.count() / width < enough ||
                       !is_aligned(y.data, width * plan.unit.bytes)))
    width /= 2;
  return width;
}

void copy_rows(const KernelCall& call, const Plan& plan, const View& x, const View& y) {
  const int64_t width = width_for(plan, y), packs = plan.count() / width;
  const size_t rank = plan.dims.size();
  with_index(plan.most(), [&]<class Index>(Index) {
    Strided<Index> strided{.count = static_cast<Index>(packs),
                           .start = static_cast<Index>(plan.start),
                           .rank = static_cast<int>(rank)};
    for (size_t i = 0; i < rank; ++i) {
      strided.dims[i] = DividerOf<Index>(static_cast<Index>(plan.dims[i].size));
      strided.steps[i] = static_cast<Index>(plan.dims[i].from);
    }
    launch(call,
           {"copy", fmt::format("strided_copy<{}, {}, {}, {}>", unit_name(plan.unit.bytes), width,
                                rank <= 4 ? rank : 0, index_name<Index>())},
           grid_for(packs), x.data, y.data, strided);
  });
}

/// Device code's Tiled<Index>.
template <class Index>
struct Tiled {
  DividerOf<Index> across_tiles, along_tiles;
  Index across, along;
  Index from_step, to_step;
  Index start;
  int rank;
  DividerOf<Index> dims[kMost];
  Index from[kMost], to[kMost];
};

/// The dimension that runs along the input's memory while rows run across it, where both are long
/// enough for tiles; 0 if there is none.
size_t find_along(const Plan& plan) {
  constexpr int64_t kFew = 8;
  const Dimension& row = plan.dims[0];
  if (row.size < kFew || row.from == 0 || row.from == 1) return 0;
  for (size_t i = 1; i < plan.dims.size(); ++i)
    if (plan.dims[i].from == 1 && plan.dims[i].size >= kFew) return i;
  return 0;
}

void copy_tiles(const KernelCall& call, const Plan& plan, size_t along, const View& x,
                const View& y) {
  const int64_t side = plan.unit.bytes <= 2 ? 64 : 32;
  const auto tiles = [side](int64_t size) { return (size + side - 1) / side; };
  with_index(plan.most(), [&]<class Index>(Index) {
    const auto index = [](int64_t i) { return static_cast<Index>(i); };
    Tiled<Index> tiled{.across = index(plan.dims[0].size),
                       .along = index(plan.dims[along].size),
                       .from_step = index(plan.dims[0].from),
                       .start = index(plan.start),
                       .rank = 0};
    int64_t step = 1, blocks = tiles(plan.dims[0].size) * tiles(plan.dims[along].size);
    tiled.across_tiles = DividerOf<Index>(index(tiles(plan.dims[0].size)));
    tiled.along_tiles = DividerOf<Index>(index(tiles(plan.dims[along].size)));
    for (size_t i = 0; i < plan.dims.size(); step *= plan.dims[i++].size) {
      if (i == 0) continue;
      if (i == along) {
        tiled.to_step = index(step);
        continue;
      }
      tiled.dims[tiled.rank] = DividerOf<Index>(index(plan.dims[i].size));
      tiled.from[tiled.rank] = index(plan.dims[i].from);
      tiled.to[tiled.rank++] = index(step);
      blocks *= plan.dims[i].size;
    }
    launch(call,
           {"copy", fmt::format("transposed_copy<{}, {}, {}>", unit_name(plan.unit.bytes), side,
                                index_name<Index>())},
           {.blocks = {static_cast<unsigned>(blocks), 1, 1}, .threads = {32, 8, 1}}, x.data, y.data,
           tiled);
  });
}

}  // namespace

void StridedCopy::add(int64_t size, int64_t from) {
  if (size == 1) return;
  if (!dims_.empty() && dims_.back().from == size * from)
    dims_.back() = {dims_.back().size * size, from};
  else
    dims_.push_back({size, from});
}

void StridedCopy::run(const KernelCall& call, const View& x, int64_t start, const View& y) const {
  if (y.size() == 0) return;
  const Plan plan = plan_of(dims_, x, start, y);
  if (const size_t along = find_along(plan))
    copy_tiles(call, plan, along, x, y);
  else
    copy_rows(call, plan, x, y);
}

std::array<int64_t, kMaxRank> steps_of(const Shape& shape) {
  std::array<int64_t, kMaxRank> steps{};
  int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    steps[i] = step;
    step *= shape[i];
  }
  return steps;
}

std::string_view unit_name(int64_t bytes) {
  switch (bytes) {
    case 1: return "unsigned char";
    case 2: return "unsigned short";
    case 4: return "unsigned int";
    case 8: return "unsigned long long";
    default: return "Pack<unsigned int, 4>";
  }
}

}  // namespace alula::cuda
