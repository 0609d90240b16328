#include "alula/ops/reduce.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "alula/ops/attributes.h"
#include "alula/ops/cast.h"
#include "alula/ops/cumsum.h"
#include "alula/ops/div.h"
#include "alula/ops/equal.h"
#include "alula/ops/mul.h"
#include "alula/ops/reshape.h"
#include "alula/ops/tile.h"
#include "alula/ops/transpose.h"

namespace alula {
namespace {

const RegisterOp<ReduceSum> sum_registered;
const RegisterOp<ReduceMean> mean_registered;
const RegisterOp<ReduceProd> prod_registered;
const RegisterOp<ReduceMax> max_registered;
const RegisterOp<ReduceMin> min_registered;
const RegisterOp<ReduceAny> any_registered;
const RegisterOp<ReduceAll> all_registered;

/// A result of a reduction of x, with the reduced dimensions back, as 1.
Tensor with_kept_dims(const char* who, const Tensor& reduced, const Shape& x, const Axes& axis) {
  return reshape(reduced, reduced_shape(who, x, {.axis = axis, .keepdims = true}));
}

/// Each element's share of the gradient of the largest or smallest: equal ones share equally.
Tensor share_of_extremes(const char* who, const Recorded& call, const Axes& axis) {
  const Tensor& x = call.input();
  const Tensor extreme = with_kept_dims(who, call.output(), x.shape(), axis);
  const Tensor dy = with_kept_dims(who, call.dy(), x.shape(), axis);
  const Tensor wins = cast(equal(x, extreme), x.dtype());
  const Tensor winners = reduce_sum(wins, {.axis = axis, .keepdims = true});
  return mul(wins, div(dy, winners));
}

/// The product of all elements but one's own along an axis: no division, so that zeros do no harm.
Tensor product_of_others(const Tensor& x, int64_t axis) {
  return mul(cumprod(x, {.axis = axis, .exclusive = true}),
             cumprod(x, {.axis = axis, .exclusive = true, .reverse = true}));
}

/// The same along several axes, which are brought together and become one.
Tensor product_of_others(const Tensor& x, const std::bitset<kMaxRank>& reduced) {
  std::vector<int64_t> order, back(x.rank());
  int64_t length = 1;
  for (bool last : {false, true})
    for (int i = 0; i < x.rank(); ++i) {
      if (reduced[i] != last) continue;
      if (last) length *= x.shape()[i];
      back[i] = static_cast<int64_t>(order.size());
      order.push_back(i);
    }
  const Tensor moved = transpose(x, order);
  const int64_t rows = length == 0 ? 0 : x.size() / length;
  const Tensor others = product_of_others(reshape(moved, {rows, length}), 1);
  return transpose(reshape(others, moved.shape()), back);
}

}  // namespace

Tensor reduce_sum(const Tensor& x, const ReduceOptions& options) {
  return call(ReduceSum(options), x);
}
Tensor reduce_mean(const Tensor& x, const ReduceOptions& options) {
  return call(ReduceMean(options), x);
}
Tensor reduce_prod(const Tensor& x, const ReduceOptions& options) {
  return call(ReduceProd(options), x);
}
Tensor reduce_max(const Tensor& x, const ReduceOptions& options) {
  return call(ReduceMax(options), x);
}
Tensor reduce_min(const Tensor& x, const ReduceOptions& options) {
  return call(ReduceMin(options), x);
}
Tensor reduce_any(const Tensor& x, const ReduceOptions& options) {
  return call(ReduceAny(options), x);
}
Tensor reduce_all(const Tensor& x, const ReduceOptions& options) {
  return call(ReduceAll(options), x);
}

Shape reduced_shape(const char* who, const Shape& shape, const ReduceOptions& options) {
  const std::bitset<kMaxRank> reduced = options.axis.among(who, shape.rank());
  Shape left;
  for (int i = 0; i < shape.rank(); ++i)
    if (!reduced[i] || options.keepdims) left.push_back(reduced[i] ? 1 : shape[i]);
  return left;
}

Gradients ReduceSum::gradient(const Recorded& call) const {
  const Shape& x = call.input_spec().shape;
  return {broadcast_to(with_kept_dims(kName, call.dy(), x, axis), x)};
}

Gradients ReduceMean::gradient(const Recorded& call) const {
  const Shape& x = call.input_spec().shape;
  const int64_t count = x.size() / std::max<int64_t>(call.dy().size(), 1);
  const Tensor share = mul(call.dy(), 1.0 / static_cast<double>(std::max<int64_t>(count, 1)));
  return {broadcast_to(with_kept_dims(kName, share, x, axis), x)};
}

Gradients ReduceProd::gradient(const Recorded& call) const {
  const Tensor& x = call.input();
  const std::bitset<kMaxRank> reduced = axis.among(kName, x.rank());
  const Tensor dy = with_kept_dims(kName, call.dy(), x.shape(), axis);
  if (reduced.none()) return {dy};
  const bool one = reduced.count() == 1;
  const Tensor others =
      one ? product_of_others(x, static_cast<int64_t>(std::countr_zero(reduced.to_ulong())))
          : product_of_others(x, reduced);
  return {mul(others, dy)};
}

Gradients ReduceMax::gradient(const Recorded& call) const {
  return {share_of_extremes(kName, call, axis)};
}
Gradients ReduceMin::gradient(const Recorded& call) const {
  return {share_of_extremes(kName, call, axis)};
}

Attributes attributes_of(const ReduceOptions& options) {
  Attributes attributes = {{"axis", options.axis}};
  add_unless(false, attributes, "keepdims", options.keepdims);
  return attributes;
}

}  // namespace alula
