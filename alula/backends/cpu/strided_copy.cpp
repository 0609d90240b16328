#include "alula/backends/cpu/strided_copy.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "alula/backends/cpu/tile.h"
#include "alula/runtime/team.h"

namespace alula::cpu {
namespace {

using Dimension = StridedCopy::Dimension;

/// About what copying takes, where caches help.
constexpr double kNanosecondsPerByte = 0.06;
constexpr double kNanosecondsPerMove = 0.5;

/// What is left of a copy after merging: the dimensions, the last of them a row, and the bytes of
/// an element.
struct Plan {
  std::array<Dimension, StridedCopy::kMost> dims;
  int rank;
  int64_t width;

  const Dimension& row() const { return dims[rank - 1]; }
  int64_t size() const {
    int64_t size = 1;
    for (int i = 0; i < rank; ++i) size *= dims[i].size;
    return size;
  }
};

/// Where one of the outer dimensions' combinations starts, counted up without divisions.
class Position {
 public:
  Position(const Dimension* dims, int rank, int64_t index) : dims_(dims), rank_(rank) {
    for (int i = rank_ - 1; i >= 0; --i) {
      at_[i] = index % dims_[i].size;
      index /= dims_[i].size;
      from += at_[i] * dims_[i].from;
      to += at_[i] * dims_[i].to;
    }
  }
  void next() {
    for (int i = rank_ - 1; i >= 0; --i) {
      from += dims_[i].from;
      to += dims_[i].to;
      if (++at_[i] < dims_[i].size) return;
      from -= dims_[i].from * dims_[i].size;
      to -= dims_[i].to * dims_[i].size;
      at_[i] = 0;
    }
  }

  int64_t from = 0, to = 0;  // in bytes

 private:
  const Dimension* dims_;
  int rank_;
  std::array<int64_t, StridedCopy::kMost> at_;
};

/// Calls `row(from, to, count)` for the rows, or parts of rows, that make up the whole copy.
template <class Row>
void for_each_row(const Plan& plan, double nanoseconds, const std::byte* from, std::byte* to,
                  const Row& row) {
  const Dimension last = plan.row();
  team::parallel_for(plan.size(), nanoseconds, [&](int64_t begin, int64_t end) {
    Position position(plan.dims.data(), plan.rank - 1, begin / last.size);
    int64_t inside = begin % last.size;
    while (begin < end) {
      const int64_t count = std::min(end - begin, last.size - inside);
      row(from + position.from + inside * last.from, to + position.to + inside * last.to, count);
      begin += count;
      inside = 0;
      position.next();
    }
  });
}

/// One row of elements of W bytes. They may be unaligned, since a short run of elements is moved as
/// one.
template <int W>
void copy_row(const Dimension& row, const std::byte* from, std::byte* to, int64_t count) {
  if (row.from == 0 && row.to == W) {
    std::array<std::byte, W> value;
    std::memcpy(value.data(), from, W);
    for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * W, value.data(), W);
  } else if (row.from == -W && row.to == W) {
    for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * W, from - i * W, W);
  } else {
    for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * row.to, from + i * row.from, W);
  }
}

/// Calls `f` with the width as a constant.
template <class F>
void with_width(int64_t width, const F& f) {
  switch (width) {
    case 1: return f(std::integral_constant<int, 1>{});
    case 2: return f(std::integral_constant<int, 2>{});
    case 3: return f(std::integral_constant<int, 3>{});
    case 4: return f(std::integral_constant<int, 4>{});
    case 6: return f(std::integral_constant<int, 6>{});
    case 8: return f(std::integral_constant<int, 8>{});
    case 12: return f(std::integral_constant<int, 12>{});
    default: return f(std::integral_constant<int, 16>{});
  }
}

void copy_rows(const Plan& plan, const std::byte* from, std::byte* to) {
  const Dimension row = plan.row();
  const auto width = static_cast<double>(plan.width);
  if (row.from == plan.width && row.to == plan.width) {
    const double nanoseconds =
        kNanosecondsPerByte * width + 5 / static_cast<double>(row.size);  // 5 for a call of memcpy
    for_each_row(plan, nanoseconds, from, to, [&](const std::byte* a, std::byte* b, int64_t count) {
      std::memcpy(b, a, count * plan.width);
    });
    return;
  }
  with_width(plan.width, [&]<int W>(std::integral_constant<int, W>) {
    for_each_row(
        plan, kNanosecondsPerMove + kNanosecondsPerByte * W, from, to,
        [&](const std::byte* a, std::byte* b, int64_t count) { copy_row<W>(row, a, b, count); });
  });
}

/// Whether rows run across the input's memory while another dimension runs along it: then whole
/// tiles are read and written by cache lines. Moves that dimension next to the rows.
bool is_transposition(Plan& plan) {
  if (plan.row().to != plan.width || plan.row().from == 0) return false;
  if ((plan.width & (plan.width - 1)) != 0) return false;  // tiles are of powers of two
  for (int i = plan.rank - 2; i >= 0; --i) {
    if (plan.dims[i].from != plan.width) continue;
    std::rotate(plan.dims.begin() + i, plan.dims.begin() + i + 1,
                plan.dims.begin() + plan.rank - 1);
    return true;
  }
  return false;
}

/// Copies by blocks of tiles.
void copy_tiles(const Plan& plan, const std::byte* from, std::byte* to) {
  const Dimension along = plan.dims[plan.rank - 2], across = plan.row();
  const int64_t side = 64 / plan.width;
  const int64_t most_along = std::min(kTilesAlong * side, along.size);
  const int64_t most_across = std::min(kTilesAcross * side, across.size);
  const int64_t columns = (across.size + most_across - 1) / most_across;
  const int64_t blocks = columns * ((along.size + most_along - 1) / most_along);
  const int64_t outer = plan.size() / (along.size * across.size);
  const bool stream = plan.size() * plan.width >= kStreamBytes;
  const double nanoseconds =
      static_cast<double>(most_along * most_across) *
      (kNanosecondsPerMove + kNanosecondsPerByte * static_cast<double>(plan.width));

  team::parallel_for(outer * blocks, nanoseconds, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Position position(plan.dims.data(), plan.rank - 2, i / blocks);
      const int64_t a = i % blocks / columns * most_along, c = i % columns * most_across;
      transpose_block({.from = from + position.from + a * along.from + c * across.from,
                       .from_step = across.from,
                       .to = to + position.to + a * along.to + c * across.to,
                       .to_step = along.to,
                       .along = std::min(most_along, along.size - a),
                       .across = std::min(most_across, across.size - c),
                       .width = plan.width,
                       .stream = stream});
    }
  });
}

void copy_strings(const Plan& plan, const std::byte* from, std::byte* to) {
  const Dimension row = plan.row();
  for_each_row(plan, 20, from, to, [&](const std::byte* a, std::byte* b, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      *reinterpret_cast<std::string*>(b + i * row.to) =
          *reinterpret_cast<const std::string*>(a + i * row.from);
  });
}

}  // namespace

void StridedCopy::add(int64_t size, int64_t from, int64_t to) {
  if (size == 0) empty_ = true;
  if (size <= 1) return;
  const Dimension inner{size, from * width_, to * width_};
  if (rank_ > 0) {
    Dimension& outer = dims_[rank_ - 1];
    if (outer.from == size * inner.from && outer.to == size * inner.to) {
      outer = {outer.size * size, inner.from, inner.to};
      return;
    }
  }
  dims_[rank_++] = inner;
}

void StridedCopy::run(const void* from, void* to) const {
  if (empty_) return;
  Plan plan{dims_, rank_, width_};
  if (plan.rank == 0) plan.dims[plan.rank++] = {1, width_, width_};
  const auto* source = static_cast<const std::byte*>(from);
  auto* target = static_cast<std::byte*>(to);
  if (dtype_ == string) return copy_strings(plan, source, target);

  // A run of a few elements that stay together, such as a pixel's colours, is one larger element.
  const Dimension& row = plan.row();
  const int64_t run = row.size * plan.width;
  const bool together = row.from == plan.width && row.to == plan.width;
  constexpr uint32_t kWidths =
      1U << 2 | 1U << 3 | 1U << 4 | 1U << 6 | 1U << 8 | 1U << 12 | 1U << 16;
  if (plan.rank > 1 && together && run <= 16 && (kWidths >> run & 1) != 0) {
    plan.width = run;
    --plan.rank;
  }
  if (is_transposition(plan))
    copy_tiles(plan, source, target);
  else
    copy_rows(plan, source, target);
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

}  // namespace alula::cpu
