#include "alula/ops/matmul.h"

#include "alula/ops/attributes.h"
#include "alula/ops/batching.h"
#include "alula/ops/sum_to.h"

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

/// With C = A B and a gradient D of C: dA = D B', dB = A' D, each transposed as its input was.
Gradients MatMul::gradient(const Recorded& call) const {
  const Tensor& dy = call.dy();
  Gradients gradients{Tensor(), Tensor()};
  if (call.wants(0)) {
    const Tensor& b = call.input(1);
    const Tensor da = transpose_a ? matmul(b, dy, {.transpose_a = transpose_b, .transpose_b = true})
                                  : matmul(dy, b, {.transpose_b = !transpose_b});
    gradients[0] = sum_to(da, call.input_spec(0).shape);
  }
  if (call.wants(1)) {
    const Tensor& a = call.input(0);
    const Tensor db = transpose_b ? matmul(dy, a, {.transpose_a = true, .transpose_b = transpose_a})
                                  : matmul(a, dy, {.transpose_a = !transpose_a});
    gradients[1] = sum_to(db, call.input_spec(1).shape);
  }
  return gradients;
}

Needs MatMul::needs(IndexSet wanted) const {
  Needs needs{.inputs = {}, .outputs = {}};
  if (wanted.contains(0)) needs.inputs.add(1);
  if (wanted.contains(1)) needs.inputs.add(0);
  return needs;
}

/// The calls are a batch dimension. (Many times one b is a product with more rows: kernels see to
/// that.)
Tensors MatMul::batched(std::span<const BatchedInput> inputs, int64_t) const {
  return call_all(*this, batching::aligned(inputs));
}

Attributes MatMul::attributes() const {
  Attributes attributes;
  add_unless(false, attributes, "transpose_a", transpose_a);
  add_unless(false, attributes, "transpose_b", transpose_b);
  return attributes;
}

}  // namespace alula
