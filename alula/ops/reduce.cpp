#include "alula/ops/reduce.h"

namespace alula {
namespace {

const RegisterOp<ReduceSum> sum_registered;
const RegisterOp<ReduceMean> mean_registered;
const RegisterOp<ReduceProd> prod_registered;
const RegisterOp<ReduceMax> max_registered;
const RegisterOp<ReduceMin> min_registered;
const RegisterOp<ReduceAny> any_registered;
const RegisterOp<ReduceAll> all_registered;

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

}  // namespace alula
