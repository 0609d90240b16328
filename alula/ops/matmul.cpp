#include "alula/ops/matmul.h"

namespace alula {
namespace {

const RegisterOp<MatMul> registered;

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, const MatMulOptions& options) {
  return call(MatMul(options), a, b);
}

Specs MatMul::infer(SpecRefs inputs) const {
  const Spec &a = inputs[0], &b = inputs[1];
  require(kDTypes.contains(a.dtype), "{}: takes {}. Got a {}, b {}.", kName, kDTypes, a, b);
  require(a.dtype == b.dtype, "{}: the dtypes differ. Got a {}, b {}. Use cast().", kName, a, b);
  require(a.rank() >= 2 && b.rank() >= 2,
          "{}: both inputs need at least 2 dimensions. Got a {}, b {}. Use expand_dims().", kName,
          a, b);
  const int ra = a.rank(), rb = b.rank();
  const int64_t m = a.shape[transpose_a ? ra - 1 : ra - 2],
                ka = a.shape[transpose_a ? ra - 2 : ra - 1];
  const int64_t kb = b.shape[transpose_b ? rb - 1 : rb - 2],
                n = b.shape[transpose_b ? rb - 2 : rb - 1];
  require(ka == kb || ka == kUnknown || kb == kUnknown,
          "{}: the inner sizes differ, {} and {}. Got a {}, b {}. Transpose one of them "
          "(transpose_a, transpose_b).",
          kName, ka, kb, a, b);
  const Shape batch = broadcast(kName, a.shape.slice(0, ra - 2), b.shape.slice(0, rb - 2));
  return {a.with(batch + Shape{m, n})};
}

Cost MatMul::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  const Shape& a = inputs[0].shape;
  const int64_t k = a[transpose_a ? a.rank() - 2 : a.rank() - 1];
  cost.flops = 2.0 * static_cast<double>(outputs[0].shape.size()) * static_cast<double>(k);
  return cost;
}

}  // namespace alula
