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

/// The gradient of sparse_softmax_cross_entropy with respect to the logits:
/// (softmax(logits) - one_hot(labels)) * gradient. gradient: like the losses; result: like logits.
Tensor sparse_softmax_cross_entropy_gradient(const Tensor& labels, const Tensor& logits,
                                             const Tensor& gradient);

/// The gradient of softmax_cross_entropy with respect to the logits:
/// (softmax(logits) * sum(labels) - labels) * gradient. gradient: like the losses; result: like
/// logits. TensorFlow leaves out the sum, which is 1 for a distribution: then, and only then, what
/// it gives is the gradient.
Tensor softmax_cross_entropy_gradient(const Tensor& labels, const Tensor& logits,
                                      const Tensor& gradient);

/// The ops behind these functions. Inputs: labels, logits and, for the gradients, gradient.
struct SparseSoftmaxCrossEntropy final : OpOf<SparseSoftmaxCrossEntropy> {
  static constexpr const char* kName = "sparse_softmax_cross_entropy";
  static constexpr DTypeSet kDTypes = kFloating;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet wanted) const override;
};

struct SoftmaxCrossEntropy final : OpOf<SoftmaxCrossEntropy> {
  static constexpr const char* kName = "softmax_cross_entropy";
  static constexpr DTypeSet kDTypes = kFloating;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet wanted) const override;
};

struct SparseSoftmaxCrossEntropyGradient final : OpOf<SparseSoftmaxCrossEntropyGradient> {
  static constexpr const char* kName = "sparse_softmax_cross_entropy_gradient";
  static constexpr DTypeSet kDTypes = kFloating;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet wanted) const override;
};

struct SoftmaxCrossEntropyGradient final : OpOf<SoftmaxCrossEntropyGradient> {
  static constexpr const char* kName = "softmax_cross_entropy_gradient";
  static constexpr DTypeSet kDTypes = kFloating;
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet wanted) const override;
};

}  // namespace alula
