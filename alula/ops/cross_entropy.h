#pragma once
#include "alula/runtime/dispatch.h"

namespace alula {

/// The loss of each row of logits, -log(softmax(logits)[label]): the usual loss of a classifier.
/// labels: [...], int32 or int64; logits: [..., classes], floating; result: [...], of the logits'
/// dtype. A label that is no class is an InvalidArgumentError.
///   sparse_softmax_cross_entropy({1}, {{0.f, 0.f}})  ->  {0.6931472}
Tensor sparse_softmax_cross_entropy(const Tensor& labels, const Tensor& logits);
/// The same, by TensorFlow's name.
Tensor sparse_softmax_cross_entropy_with_logits(const Tensor& labels, const Tensor& logits);

/// The loss of each row of logits against a distribution over the classes,
/// -sum(labels * log(softmax(logits))). labels, logits: [..., classes], floating and of the same
/// dtype; result: [...].
///   softmax_cross_entropy({{0.5f, 0.5f}}, {{0.f, 0.f}})  ->  {0.6931472}
Tensor softmax_cross_entropy(const Tensor& labels, const Tensor& logits);
/// The same, by TensorFlow's name.
Tensor softmax_cross_entropy_with_logits(const Tensor& labels, const Tensor& logits);

struct SparseSoftmaxCrossEntropy final : OpOf<SparseSoftmaxCrossEntropy> {
  static constexpr const char* kName = "sparse_softmax_cross_entropy";
  static constexpr DTypeSet kDTypes = kFloating;
  Specs infer(SpecRefs inputs) const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
};

struct SoftmaxCrossEntropy final : OpOf<SoftmaxCrossEntropy> {
  static constexpr const char* kName = "softmax_cross_entropy";
  static constexpr DTypeSet kDTypes = kFloating;
  Specs infer(SpecRefs inputs) const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
};

}  // namespace alula
