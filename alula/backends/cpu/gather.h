#pragma once
#include <algorithm>
#include <type_traits>

#include "alula/backends/cpu/indices.h"
#include "alula/ops/gather.h"

/// What kernels that pick slices share.
namespace alula::cpu {

/// What is picked: `rows` times `count` slices of `size` elements each.
struct Picks {
  int64_t rows, count, size;
};

/// Calls `visit(i, source)` for the slices [begin, end) of the result. `sources(row)` gives the
/// function that says which slice of the input the j-th of a row is.
template <class Sources, class Visit>
void for_slices(const Picks& picks, int64_t begin, int64_t end, const Sources& sources,
                const Visit& visit) {
  int64_t row = begin / picks.count, inside = begin % picks.count;
  while (begin < end) {
    const int64_t stop = std::min(picks.count, inside + end - begin);
    const auto source = sources(row);
    for (; inside < stop; ++inside) visit(begin++, source(inside));
    inside = 0;
    ++row;
  }
}

/// The slices that `gather` picks: what they are, and by its operator() where. An index that is out
/// of range is an error at once.
class Gathered {
 public:
  /// There must be slices to pick.
  Gathered(const Gather& op, const View& params, const View& indices) : indices_(indices) {
    const int batch = op.batch(*params.spec, *indices.spec);
    const int axis = op.along(*params.spec, batch), rank = params.shape().rank();
    along_ = params.shape()[axis];
    indices_.check(Gather::kName, along_);
    repeats_ = params.shape().slice(batch, axis).size();
    const int64_t batches = params.shape().slice(0, batch).size();
    picks = {.rows = batches * repeats_,
             .count = indices.size() / batches,
             .size = params.shape().slice(axis + 1, rank).size()};
  }

  auto operator()(int64_t row) const {
    const int64_t first = row / repeats_ * picks.count, base = row * along_;
    return [this, first, base](int64_t i) { return base + indices_[first + i]; };
  }

  Picks picks{};

 private:
  Indices indices_;
  int64_t along_, repeats_;
};

/// Calls `f(bytes)`; with a constant if it is one of the sizes that slices often have, so that a
/// copy of so many bytes is a few instructions.
template <class F>
void with_bytes(int64_t bytes, const F& f) {
  switch (bytes) {
    case 1: return f(std::integral_constant<int64_t, 1>());
    case 2: return f(std::integral_constant<int64_t, 2>());
    case 3: return f(std::integral_constant<int64_t, 3>());
    case 4: return f(std::integral_constant<int64_t, 4>());
    case 8: return f(std::integral_constant<int64_t, 8>());
    case 12: return f(std::integral_constant<int64_t, 12>());
    default: return f(bytes);
  }
}

}  // namespace alula::cpu
