#include "alula/ops/top_k.h"

#include <limits>

namespace alula {
namespace {

const RegisterOp<TopK> top_k_registered;
const RegisterOp<InTopK> in_top_k_registered;

}  // namespace

TopKResult top_k(const Tensor& x, int64_t k) {
  const Tensors outputs = call_all(TopK(k), {&x, 1});
  return {outputs[0], outputs[1]};
}

Tensor in_top_k(const Tensor& targets, const Tensor& predictions, int64_t k) {
  return call(InTopK(k), targets, predictions);
}

Specs TopK::infer(SpecRefs inputs) const {
  const Spec& x = inputs[0];
  require(kDTypes.contains(x.dtype), "{}: takes {}. Got {}.", kName, kDTypes, x);
  require(x.rank() >= 1, "{}: the input needs at least 1 dimension. Got {}.", kName, x);
  require(k >= 0, "{}: k must not be negative. Got {}.", kName, k);
  const int64_t n = x.shape.back();
  require(n == kUnknown || k <= n, "{}: the rows are shorter than k = {}. Got {}.", kName, k, x);
  require(n <= std::numeric_limits<int32_t>::max(),
          "{}: the rows are too long for indices of int32. Got {}.", kName, x);
  const Spec values = x.with(x.shape.with(x.rank() - 1, k));
  return {values, values.with(int32)};
}

Cost TopK::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  cost.flops = 4 * static_cast<double>(inputs[0].shape.size());
  return cost;
}

Specs InTopK::infer(SpecRefs inputs) const {
  const Spec &targets = inputs[0], &predictions = inputs[1];
  require(
      kDTypes.contains(predictions.dtype) && (targets.dtype == int32 || targets.dtype == int64),
      "{}: the targets must be int32 or int64, the predictions {}. Got targets {}, predictions {}.",
      kName, kDTypes, targets, predictions);
  require(
      predictions.rank() == 2 && targets.rank() == 1,
      "{}: takes targets [batch] and predictions [batch, classes]. Got targets {}, predictions {}.",
      kName, targets, predictions);
  const int64_t a = targets.shape[0], b = predictions.shape[0];
  require(
      a == b || a == kUnknown || b == kUnknown,
      "{}: there must be one target for each row of predictions. Got targets {}, predictions {}.",
      kName, targets, predictions);
  return {{boolean, {a == kUnknown ? b : a}}};
}

Cost InTopK::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  Cost cost = Op::cost(inputs, outputs);
  cost.flops = static_cast<double>(inputs[1].shape.size());
  return cost;
}

}  // namespace alula
