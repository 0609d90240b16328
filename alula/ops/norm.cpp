#include "alula/ops/norm.h"

#include <cmath>

#include "alula/ops/abs.h"
#include "alula/ops/cast.h"
#include "alula/ops/concat.h"
#include "alula/ops/isfinite.h"
#include "alula/ops/operators.h"
#include "alula/ops/pow.h"
#include "alula/ops/reshape.h"
#include "alula/ops/sqrt.h"
#include "alula/ops/square.h"
#include "alula/ops/where.h"

namespace alula {
namespace {

/// The root of a sum of squares, whose gradient at 0 is 0 as in TensorFlow where it is clipped.
Tensor safe_root(const Tensor& sum) {
  const Tensor positive = sum > 0;
  return where(positive, sqrt(where(positive, sum, 1)), sum);
}

Tensor matrix_norm(const Tensor& x, const linalg::NormOptions& options) {
  const auto axes = options.axis.given();
  const bool rows = std::isinf(options.ord.p);  // the largest row, else the largest column
  require(rows || options.ord.p == 1,
          "norm: of matrices, ord is \"euclidean\", 1 or infinity. Got {}.", options.ord.p);
  const int first = normalize_axis("norm", axes[0], x.rank());
  const int second = normalize_axis("norm", axes[1], x.rank());
  const Tensor sums = reduce_sum(abs(x), {.axis = rows ? second : first, .keepdims = true});
  const Tensor most = reduce_max(sums, {.axis = rows ? first : second, .keepdims = true});
  return options.keepdims ? most : squeeze(most, {first, second});
}

}  // namespace

Tensor reduce_euclidean_norm(const Tensor& x, const ReduceOptions& options) {
  require(x.defined(), "reduce_euclidean_norm: the input is not defined yet.");
  if (is_floating(x.dtype())) return sqrt(reduce_sum(square(x), options));
  return cast(sqrt(reduce_sum(square(cast(x, float64)), options)), x.dtype());
}

linalg::NormOrder::NormOrder(std::string_view word) {
  require(word == "euclidean" || word == "fro",
          "norm: ord is \"euclidean\", \"fro\" or a number. Got \"{}\".", word);
}

Tensor linalg::global_norm(const std::vector<Tensor>& tensors) {
  require(!tensors.empty(), "global_norm: needs at least one tensor.");
  std::vector<Tensor> sums;
  for (const Tensor& tensor : tensors) {
    require(tensor.defined() && is_floating(tensor.dtype()),
            "global_norm: takes floating types. Got {}.",
            tensor.defined() ? tensor.spec() : Spec());
    sums.push_back(reduce_sum(square(tensor)));
  }
  return sqrt(sums.size() == 1 ? sums[0] : reduce_sum(stack(sums)));
}

Tensor linalg::norm(const Tensor& x, const NormOptions& options) {
  require(x.defined() && is_floating(x.dtype()), "norm: takes floating types. Got {}.",
          x.defined() ? x.spec() : Spec());
  const ReduceOptions reduce{.axis = options.axis, .keepdims = options.keepdims};
  const auto axes = options.axis.given().size();
  require(options.axis.all() || axes == 1 || axes == 2,
          "norm: axis is one axis for vectors, or two for matrices. Got {}.", options.axis);
  if (options.ord.euclidean) return sqrt(reduce_sum(square(x), reduce));
  if (axes == 2) return matrix_norm(x, options);
  const double p = options.ord.p;
  require(p > 0, "norm: ord must be positive. Got {}.", p);
  if (std::isinf(p)) return reduce_max(abs(x), reduce);
  if (p == 1) return reduce_sum(abs(x), reduce);
  if (p == 2) return sqrt(reduce_sum(square(x), reduce));
  return pow(reduce_sum(pow(abs(x), p), reduce), 1 / p);
}

Tensor clip_by_norm(const Tensor& x, const Tensor& clip_norm, const ClipByNormOptions& options) {
  require(x.defined() && is_floating(x.dtype()), "clip_by_norm: takes floating types. Got {}.",
          x.defined() ? x.spec() : Spec());
  const Tensor length = safe_root(reduce_sum(square(x), {.axis = options.axes, .keepdims = true}));
  const Tensor most = cast(clip_norm, x.dtype());
  // x is divided by what is at least clip_norm, so that a short one stays as it is.
  return x * most / where(length > most, length, most);
}

ClippedByGlobalNorm clip_by_global_norm(const std::vector<Tensor>& tensors, const Tensor& clip_norm,
                                        const Tensor& use_norm) {
  const Tensor length = use_norm.defined() ? use_norm : linalg::global_norm(tensors);
  const Tensor most = cast(clip_norm, length.dtype());
  const Tensor scale = most / where(length > most, length, most);
  const Tensor factor = where(isfinite(length), scale, NAN);
  ClippedByGlobalNorm result{.tensors = {}, .global_norm = length};
  for (const Tensor& tensor : tensors)
    result.tensors.push_back(tensor * cast(factor, tensor.dtype()));
  return result;
}

}  // namespace alula
