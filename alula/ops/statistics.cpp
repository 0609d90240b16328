#include "alula/ops/statistics.h"

#include "alula/ops/add.h"
#include "alula/ops/cast.h"
#include "alula/ops/exp.h"
#include "alula/ops/isfinite.h"
#include "alula/ops/log.h"
#include "alula/ops/maximum.h"
#include "alula/ops/mul.h"
#include "alula/ops/rsqrt.h"
#include "alula/ops/sqrt.h"
#include "alula/ops/square.h"
#include "alula/ops/squared_difference.h"
#include "alula/ops/stop_gradient.h"
#include "alula/ops/sub.h"
#include "alula/ops/where.h"

namespace alula {
namespace {

/// The input as these functions compute with it: squares and exponentials soon leave 16 bits.
Tensor widened(const char* who, const Tensor& x) {
  require(x.defined(), "{}: the input is not defined yet.", who);
  require(is_floating(x.dtype()), "{}: takes {}. Got {}. Use cast().", who, kFloating, x.spec());
  return is_half(x.dtype()) ? cast(x, float32) : x;
}

/// Mean and variance of a widened input, the mean with the reduced dimensions kept.
Moments moments_of(const Tensor& wide, const ReduceOptions& options) {
  const Tensor mean = reduce_mean(wide, {.axis = options.axis, .keepdims = true});
  return {mean, reduce_mean(squared_difference(wide, mean), options)};
}

}  // namespace

Tensor reduce_variance(const Tensor& x, const ReduceOptions& options) {
  const Tensor wide = widened("reduce_variance", x);
  return cast(moments_of(wide, options).variance, x.dtype());
}

Tensor reduce_std(const Tensor& x, const ReduceOptions& options) {
  const Tensor wide = widened("reduce_std", x);
  return cast(sqrt(moments_of(wide, options).variance), x.dtype());
}

Tensor reduce_logsumexp(const Tensor& x, const ReduceOptions& options) {
  const Tensor wide = widened("reduce_logsumexp", x);
  const Tensor largest = reduce_max(wide, {.axis = options.axis, .keepdims = true});
  // The result does not depend on what is subtracted and added again, and so has no gradient there.
  const Tensor shift = stop_gradient(where(isfinite(largest), largest, 0));
  const Tensor sum = reduce_sum(exp(sub(wide, shift)), options);
  return cast(add(log(sum), reduce_max(shift, options)), x.dtype());
}

Moments moments(const Tensor& x, const ReduceOptions& options) {
  const auto [mean, variance] = moments_of(widened("moments", x), options);
  // The mean of the one mean along the axes is itself, with the dimensions that were asked for.
  return {cast(reduce_mean(mean, options), x.dtype()), cast(variance, x.dtype())};
}

Tensor l2_normalize(const Tensor& x, const L2NormalizeOptions& options) {
  const Tensor wide = widened("l2_normalize", x);
  const Tensor sum = reduce_sum(square(wide), {.axis = options.axis, .keepdims = true});
  return cast(mul(wide, rsqrt(maximum(sum, options.epsilon))), x.dtype());
}

}  // namespace alula
