#include "alula/ops/matrix.h"

#include <algorithm>

#include "alula/ops/batching.h"
#include "alula/ops/cast.h"
#include "alula/ops/concat.h"
#include "alula/ops/fill.h"
#include "alula/ops/gather.h"
#include "alula/ops/matmul.h"
#include "alula/ops/operators.h"
#include "alula/ops/range.h"
#include "alula/ops/reduce.h"
#include "alula/ops/reshape.h"
#include "alula/ops/slice.h"
#include "alula/ops/tile.h"
#include "alula/ops/transpose.h"
#include "alula/ops/where.h"

namespace alula {
namespace {

/// The sizes of the last two dimensions.
struct Sizes {
  int64_t rows, columns;
};
Sizes matrix_sizes(const char* who, const Tensor& x) {
  require(x.defined() && x.rank() >= 2, "{}: takes matrices [..., rows, columns]. Got {}.", who,
          x.defined() ? x.spec() : Spec());
  const Sizes sizes{x.shape()[x.rank() - 2], x.shape()[x.rank() - 1]};
  require(sizes.rows != kUnknown && sizes.columns != kUnknown,
          "{}: the sizes of the matrices must be known. Got {}.", who, x.spec());
  return sizes;
}

/// bool [rows, columns]: where column - row is between `low` and `high`.
Tensor band(const Sizes& sizes, int64_t low, int64_t high) {
  Tensor mask = Tensor::uninitialized({boolean, {sizes.rows, sizes.columns}});
  auto* at = static_cast<bool*>(mask.mutable_data());
  for (int64_t i = 0; i < sizes.rows; ++i)
    for (int64_t j = 0; j < sizes.columns; ++j) *at++ = j - i >= low && j - i <= high;
  return mask;
}

/// The axes, counted from the start and checked, and then all others.
std::vector<int64_t> with_others(const Ints& axes, int rank, bool axes_last) {
  std::vector<int64_t> chosen, others;
  for (int64_t axis : axes) chosen.push_back(normalize_axis("tensordot", axis, rank));
  for (int64_t axis = 0; axis < rank; ++axis)
    if (std::find(chosen.begin(), chosen.end(), axis) == chosen.end()) others.push_back(axis);
  std::vector<int64_t> all = axes_last ? others : chosen;
  const auto& rest = axes_last ? chosen : others;
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

}  // namespace

Tensor tensordot(const Tensor& a, const Tensor& b, const Ints& axes_a, const Ints& axes_b) {
  require(a.defined() && b.defined(), "tensordot: an input is not defined yet.");
  require(axes_a.size() == axes_b.size(),
          "tensordot: there must be as many axes of a as of b. Got {} and {}.", axes_a, axes_b);
  const Tensor left = transpose(a, Axes(with_others(axes_a, a.rank(), true)));
  const Tensor right = transpose(b, Axes(with_others(axes_b, b.rank(), false)));
  const auto count = static_cast<int>(axes_a.size());
  const Shape kept_a = left.shape().slice(0, a.rank() - count);
  const Shape kept_b = right.shape().slice(count, b.rank());
  const Shape summed = right.shape().slice(0, count);
  require(compatible(left.shape().slice(a.rank() - count, a.rank()), summed),
          "tensordot: the sizes of the axes differ. Got a {}, b {}, axes {} and {}.", a.spec(),
          b.spec(), axes_a, axes_b);
  const Tensor product = matmul(reshape(left, {kept_a.size(), summed.size()}),
                                reshape(right, {summed.size(), kept_b.size()}));
  return reshape(product, kept_a + kept_b);
}

Tensor tensordot(const Tensor& a, const Tensor& b, int64_t axes) {
  require(a.defined() && b.defined(), "tensordot: an input is not defined yet.");
  require(axes >= 0 && axes <= a.rank() && axes <= b.rank(),
          "tensordot: axes must be between 0 and the ranks. Got {}, a {}, b {}.", axes, a.spec(),
          b.spec());
  Ints of_a, of_b;
  for (int64_t i = 0; i < axes; ++i) {
    of_a.push_back(a.rank() - axes + i);
    of_b.push_back(i);
  }
  return tensordot(a, b, of_a, of_b);
}

std::vector<Tensor> meshgrid(const std::vector<Tensor>& vectors, Indexing indexing) {
  const auto rank = static_cast<int>(vectors.size());
  require(rank <= kMaxRank, "meshgrid: takes up to {} vectors. Got {}.", kMaxRank, rank);
  Shape grid;
  for (const Tensor& vector : vectors) {
    require(vector.defined() && vector.rank() <= 1, "meshgrid: takes vectors. Got {}.",
            vector.defined() ? vector.spec() : Spec());
    grid.push_back(vector.size());
  }
  const bool exchanged = indexing == Indexing::kXY && rank > 1;
  if (exchanged) std::swap(grid[0], grid[1]);
  std::vector<Tensor> result;
  for (int i = 0; i < rank; ++i) {
    Shape shape(std::vector<int64_t>(vectors.size(), 1));
    shape[exchanged && i < 2 ? 1 - i : i] = vectors[static_cast<size_t>(i)].size();
    result.push_back(broadcast_to(reshape(vectors[static_cast<size_t>(i)], shape), grid));
  }
  return result;
}

Tensor linalg::matrix_transpose(const Tensor& a) {
  require(a.defined() && a.rank() >= 2, "matrix_transpose: takes matrices [..., m, n]. Got {}.",
          a.defined() ? a.spec() : Spec());
  std::vector<int64_t> order;
  for (int i = 0; i < a.rank() - 2; ++i) order.push_back(i);
  order.push_back(a.rank() - 1);
  order.push_back(a.rank() - 2);
  return transpose(a, Axes(order));
}

Tensor linalg::matvec(const Tensor& a, const Tensor& b) {
  require(b.defined() && b.rank() >= 1, "matvec: takes a matrix and a vector. Got {}.",
          b.defined() ? b.spec() : Spec());
  return squeeze(matmul(a, expand_dims(b, -1)), -1);
}

Tensor linalg::diag(const Tensor& diagonal, int64_t k) {
  require(diagonal.defined() && diagonal.rank() >= 1, "diag: takes vectors [..., n]. Got {}.",
          diagonal.defined() ? diagonal.spec() : Spec());
  const int64_t n = diagonal.shape().back(), size = n + std::abs(k);
  // Element i goes to row i - min(k, 0), column i + max(k, 0): a column of its own for each, and
  // zeros elsewhere.
  std::vector<int64_t> source(static_cast<size_t>(size * size), n);
  for (int64_t i = 0; i < n; ++i)
    source[static_cast<size_t>((i - std::min<int64_t>(k, 0)) * size + i +
                               std::max<int64_t>(k, 0))] = i;
  Shape padding = diagonal.shape();
  padding[padding.rank() - 1] = 1;
  const Tensor padded = concat({diagonal, zeros(padding, diagonal.dtype())}, -1);
  return gather(padded, Tensor(source, {size, size}), {.axis = -1});
}

Tensor linalg::diag_part(const Tensor& input, int64_t k) {
  const Sizes sizes = matrix_sizes("diag_part", input);
  const int64_t row = std::max<int64_t>(-k, 0), column = std::max<int64_t>(k, 0);
  const int64_t length = std::min(sizes.rows - row, sizes.columns - column);
  require(length > 0 || (length == 0 && k == 0), "diag_part: there is no diagonal {}. Got {}.", k,
          input.spec());
  std::vector<int64_t> places;
  for (int64_t i = 0; i < length; ++i) places.push_back((row + i) * sizes.columns + column + i);
  const Shape flat = input.shape().slice(0, input.rank() - 2) + Shape{sizes.rows * sizes.columns};
  return gather(reshape(input, flat), Tensor(places, {length}), {.axis = -1});
}

Tensor linalg::set_diag(const Tensor& input, const Tensor& diagonal) {
  const Sizes sizes = matrix_sizes("set_diag", input);
  require(diagonal.defined() && diagonal.rank() == input.rank() - 1 &&
              diagonal.shape().back() == std::min(sizes.rows, sizes.columns),
          "set_diag: the diagonal must be [..., {}]. Got {}, input {}.",
          std::min(sizes.rows, sizes.columns), diagonal.defined() ? diagonal.spec() : Spec(),
          input.spec());
  // As a column for wide matrices and as a row for tall ones, it broadcasts to the diagonal.
  const Tensor along = expand_dims(diagonal, sizes.rows <= sizes.columns ? -1 : -2);
  return where(band(sizes, 0, 0), along, input);
}

Tensor linalg::band_part(const Tensor& input, int64_t num_lower, int64_t num_upper) {
  const Sizes sizes = matrix_sizes("band_part", input);
  const Tensor mask = band(sizes, num_lower < 0 ? -sizes.rows : -num_lower,
                           num_upper < 0 ? sizes.columns : num_upper);
  return where(mask, input, zeros({}, input.dtype()));
}

Tensor linalg::trace(const Tensor& x) { return reduce_sum(diag_part(x), {.axis = -1}); }

Tensor linalg::cross(const Tensor& a, const Tensor& b) {
  require(a.defined() && b.defined() && a.rank() >= 1 && a.shape().back() == 3 &&
              a.shape() == b.shape(),
          "cross: takes two tensors of vectors [..., 3]. Got {} and {}.",
          a.defined() ? a.spec() : Spec(), b.defined() ? b.spec() : Spec());
  const auto turned = [](const Tensor& x, int64_t first, int64_t second, int64_t third) {
    return gather(x, Tensor(std::vector<int64_t>{first, second, third}), {.axis = -1});
  };
  return turned(a, 1, 2, 0) * turned(b, 2, 0, 1) - turned(a, 2, 0, 1) * turned(b, 1, 2, 0);
}

}  // namespace alula
