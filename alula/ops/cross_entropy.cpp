#include "alula/ops/cross_entropy.h"

namespace alula {
namespace {

const RegisterOp<SparseSoftmaxCrossEntropy> sparse_registered;
const RegisterOp<SoftmaxCrossEntropy> registered;

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

Specs SparseSoftmaxCrossEntropy::infer(SpecRefs inputs) const {
  const Spec &labels = inputs[0], &logits = inputs[1];
  const Shape rows = losses(kName, kDTypes, labels, logits);
  require(labels.dtype == int32 || labels.dtype == int64,
          "{}: the labels must be int32 or int64. Got labels {}, logits {}. For a distribution "
          "over the "
          "classes use softmax_cross_entropy().",
          kName, labels, logits);
  require(compatible(labels.shape, rows),
          "{}: there must be one label for each row of the logits. Got labels {}, logits {}.",
          kName, labels, logits);
  return {logits.with(known_of(rows, labels.shape))};
}

Specs SoftmaxCrossEntropy::infer(SpecRefs inputs) const {
  const Spec &labels = inputs[0], &logits = inputs[1];
  const Shape rows = losses(kName, kDTypes, labels, logits);
  require(labels.dtype == logits.dtype,
          "{}: the dtypes differ. Got labels {}, logits {}. Use cast(), or for labels that are the "
          "numbers "
          "of classes sparse_softmax_cross_entropy().",
          kName, labels, logits);
  require(compatible(labels.shape, logits.shape),
          "{}: labels and logits must have the same shape. Got labels {}, logits {}.", kName,
          labels, logits);
  return {logits.with(known_of(rows, labels.shape))};
}

Cost SparseSoftmaxCrossEntropy::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  return cost_of(*this, inputs, outputs);
}
Cost SoftmaxCrossEntropy::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  return cost_of(*this, inputs, outputs);
}

}  // namespace alula
