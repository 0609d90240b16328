#include "alula/ops/cross_entropy.h"

#include "alula/ops/batching.h"
#include "alula/ops/gather.h"
#include "alula/ops/mul.h"
#include "alula/ops/neg.h"
#include "alula/ops/reduce.h"
#include "alula/ops/reshape.h"
#include "alula/ops/softmax.h"
#include "alula/ops/sub.h"

namespace alula {
namespace {

const RegisterOp<SparseSoftmaxCrossEntropy> sparse_registered;
const RegisterOp<SoftmaxCrossEntropy> registered;
const RegisterOp<SparseSoftmaxCrossEntropyGradient> sparse_gradient_registered;
const RegisterOp<SoftmaxCrossEntropyGradient> gradient_registered;

/// The shape of the losses, once the logits are found to be rows of at least one class.
Shape losses(const char* who, DTypeSet dtypes, const Spec& labels, const Spec& logits) {
  require(dtypes.contains(logits.dtype),
          "{}: the logits must be {}. Got labels {}, logits {}. Use cast().", who, dtypes, labels,
          logits);
  require(logits.rank() >= 1, "{}: the logits must be [..., classes]. Got labels {}, logits {}.",
          who, labels, logits);
  require(logits.shape.back() != 0,
          "{}: there must be at least one class. Got labels {}, logits {}.", who, labels, logits);
  return logits.shape.slice(0, logits.rank() - 1);
}

/// Where one of two compatible shapes leaves a dimension open, the other may know it.
Shape known_of(const Shape& a, const Shape& b) {
  Shape shape = a;
  for (int i = 0; i < shape.rank(); ++i)
    if (shape[i] == kUnknown) shape[i] = b[i];
  return shape;
}

Spec infer_sparse(const char* who, const Spec& labels, const Spec& logits) {
  const Shape rows = losses(who, kFloating, labels, logits);
  require(labels.dtype == int32 || labels.dtype == int64,
          "{}: the labels must be int32 or int64. Got labels {}, logits {}. For a distribution "
          "over the "
          "classes use softmax_cross_entropy().",
          who, labels, logits);
  require(compatible(labels.shape, rows),
          "{}: there must be one label for each row of the logits. Got labels {}, logits {}.", who,
          labels, logits);
  return logits.with(known_of(rows, labels.shape));
}

Spec infer_dense(const char* who, const Spec& labels, const Spec& logits) {
  const Shape rows = losses(who, kFloating, labels, logits);
  require(labels.dtype == logits.dtype,
          "{}: the dtypes differ. Got labels {}, logits {}. Use cast(), or for labels that are the "
          "numbers "
          "of classes sparse_softmax_cross_entropy().",
          who, labels, logits);
  require(compatible(labels.shape, logits.shape),
          "{}: labels and logits must have the same shape. Got labels {}, logits {}.", who, labels,
          logits);
  return logits.with(known_of(rows, labels.shape));
}

/// The output of a gradient: like the logits, once the gradient is found to be like the losses.
Spec infer_gradient(const char* who, const Spec& losses, const Spec& logits, const Spec& gradient) {
  require(gradient.dtype == losses.dtype && compatible(gradient.shape, losses.shape),
          "{}: the gradient must be {}, as the losses are. Got logits {}, gradient {}.", who,
          losses, logits, gradient);
  return logits;
}

/// The gradient of the losses as a factor of each row.
Tensor for_each_class(const Tensor& dy) { return expand_dims(dy, -1); }

Tensor sum_of_rows(const Tensor& x) { return reduce_sum(x, {.axis = -1, .keepdims = true}); }

Cost cost_of(const Op& op, SpecRefs inputs, std::span<const Spec> outputs) {
  Cost cost = op.Op::cost(inputs, outputs);
  cost.flops = 15 * static_cast<double>(inputs[1].shape.size());  // most of them in exp
  return cost;
}

}  // namespace

Tensor sparse_softmax_cross_entropy(const Tensor& labels, const Tensor& logits) {
  return call(SparseSoftmaxCrossEntropy(), labels, logits);
}
Tensor sparse_softmax_cross_entropy_with_logits(const Tensor& labels, const Tensor& logits) {
  return sparse_softmax_cross_entropy(labels, logits);
}
Tensor softmax_cross_entropy(const Tensor& labels, const Tensor& logits) {
  return call(SoftmaxCrossEntropy(), labels, logits);
}
Tensor softmax_cross_entropy_with_logits(const Tensor& labels, const Tensor& logits) {
  return softmax_cross_entropy(labels, logits);
}

Tensor sparse_softmax_cross_entropy_gradient(const Tensor& labels, const Tensor& logits,
                                             const Tensor& gradient) {
  return call(SparseSoftmaxCrossEntropyGradient(), labels, logits, gradient);
}
Tensor softmax_cross_entropy_gradient(const Tensor& labels, const Tensor& logits,
                                      const Tensor& gradient) {
  return call(SoftmaxCrossEntropyGradient(), labels, logits, gradient);
}

Specs SparseSoftmaxCrossEntropy::infer(SpecRefs inputs) const {
  return {infer_sparse(kName, inputs[0], inputs[1])};
}
Specs SoftmaxCrossEntropy::infer(SpecRefs inputs) const {
  return {infer_dense(kName, inputs[0], inputs[1])};
}
Specs SparseSoftmaxCrossEntropyGradient::infer(SpecRefs inputs) const {
  return {infer_gradient(kName, infer_sparse(kName, inputs[0], inputs[1]), inputs[1], inputs[2])};
}
Specs SoftmaxCrossEntropyGradient::infer(SpecRefs inputs) const {
  return {infer_gradient(kName, infer_dense(kName, inputs[0], inputs[1]), inputs[1], inputs[2])};
}

Cost SparseSoftmaxCrossEntropy::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  return cost_of(*this, inputs, outputs);
}
Cost SoftmaxCrossEntropy::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  return cost_of(*this, inputs, outputs);
}
Cost SparseSoftmaxCrossEntropyGradient::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  return cost_of(*this, inputs, outputs);
}
Cost SoftmaxCrossEntropyGradient::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  return cost_of(*this, inputs, outputs);
}

Gradients SparseSoftmaxCrossEntropy::gradient(const Recorded& call) const {
  return {Tensor(), sparse_softmax_cross_entropy_gradient(call.input(0), call.input(1), call.dy())};
}
Needs SparseSoftmaxCrossEntropy::needs(IndexSet) const { return {.outputs = {}}; }

Gradients SoftmaxCrossEntropy::gradient(const Recorded& call) const {
  const Tensor &logits = call.input(1), &dy = call.dy();
  Gradients gradients{Tensor(), Tensor()};
  if (call.wants(0)) gradients[0] = mul(neg(log_softmax(logits)), for_each_class(dy));
  if (call.wants(1)) gradients[1] = softmax_cross_entropy_gradient(call.input(0), logits, dy);
  return gradients;
}
Needs SoftmaxCrossEntropy::needs(IndexSet wanted) const {
  Needs needs{.inputs = {1}, .outputs = {}};
  if (wanted.contains(1)) needs.inputs.add(0);
  return needs;
}

/// Of (p - one_hot) * d, with p = softmax(logits), and a gradient h of it.
Gradients SparseSoftmaxCrossEntropyGradient::gradient(const Recorded& call) const {
  const Tensor &labels = call.input(0), &h = call.dy();
  const Tensor p = softmax(call.input(1)), mean = sum_of_rows(mul(h, p));
  Gradients gradients{Tensor(), Tensor(), Tensor()};
  if (call.wants(1)) gradients[1] = mul(mul(p, sub(h, mean)), for_each_class(call.input(2)));
  if (call.wants(2)) {
    const Tensor at_label = gather(h, labels, {.batch_dims = labels.rank()});
    gradients[2] = sub(reshape(mean, labels.shape()), at_label);
  }
  return gradients;
}
Needs SparseSoftmaxCrossEntropyGradient::needs(IndexSet wanted) const {
  Needs needs{.inputs = {0, 1}, .outputs = {}};
  if (wanted.contains(1)) needs.inputs.add(2);
  return needs;
}

/// Of (p * sum(labels) - labels) * d, with p = softmax(logits), and a gradient h of it.
Gradients SoftmaxCrossEntropyGradient::gradient(const Recorded& call) const {
  const Tensor& h = call.dy();
  const Tensor p = softmax(call.input(1)), mean = sum_of_rows(mul(h, p));
  Gradients gradients{Tensor(), Tensor(), Tensor()};
  if (call.wants(0)) gradients[0] = mul(sub(mean, h), for_each_class(call.input(2)));
  if (call.wants(1)) {
    const Tensor scale = mul(sum_of_rows(call.input(0)), for_each_class(call.input(2)));
    gradients[1] = mul(mul(p, sub(h, mean)), scale);
  }
  if (call.wants(2)) {
    const Tensor& labels = call.input(0);
    const Tensor sums = sub(mul(mean, sum_of_rows(labels)), sum_of_rows(mul(h, labels)));
    gradients[2] = reshape(sums, call.input_spec(2).shape);
  }
  return gradients;
}
Needs SoftmaxCrossEntropyGradient::needs(IndexSet wanted) const {
  Needs needs{.inputs = {1}, .outputs = {}};
  if (wanted.contains(1) || wanted.contains(2)) needs.inputs.add(0);
  if (wanted.contains(0) || wanted.contains(1)) needs.inputs.add(2);
  return needs;
}

Tensors SparseSoftmaxCrossEntropy::batched(std::span<const BatchedInput> inputs,
                                           int64_t size) const {
  return batching::with_leading(*this, inputs, size);
}
Tensors SoftmaxCrossEntropy::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::with_leading(*this, inputs, size);
}
Tensors SparseSoftmaxCrossEntropyGradient::batched(std::span<const BatchedInput> inputs,
                                                   int64_t size) const {
  return batching::with_leading(*this, inputs, size);
}
Tensors SoftmaxCrossEntropyGradient::batched(std::span<const BatchedInput> inputs,
                                             int64_t size) const {
  return batching::with_leading(*this, inputs, size);
}

}  // namespace alula
