#include "alula/ops/top_k.h"

#include <limits>

#include "alula/ops/add.h"
#include "alula/ops/batching.h"
#include "alula/ops/cast.h"
#include "alula/ops/fill.h"
#include "alula/ops/range.h"
#include "alula/ops/reshape.h"
#include "alula/ops/scatter_nd.h"

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

Gradients TopK::gradient(const Recorded& call) const {
  return {scatter_in_rows(call.output(1), call.dy(0), call.input_spec().shape.back())};
}

Tensor scatter_in_rows(const Tensor& indices, const Tensor& updates, int64_t n) {
  const int64_t k = indices.shape().back();
  const Shape shape = indices.shape().with(indices.rank() - 1, n);
  const int64_t rows = shape.slice(0, shape.rank() - 1).size();
  if (k == 0 || rows == 0) return zeros(shape, updates.dtype());
  // Positions in all rows behind each other.
  const Tensor begins = reshape(range(0, rows * n, n, int64), {rows, 1});
  const Tensor flat = add(reshape(cast(indices, int64), {rows, k}), begins);
  const Tensor sums =
      scatter_nd(reshape(flat, {rows * k, 1}), reshape(updates, {rows * k}), {rows * n});
  return reshape(sums, shape);
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

Tensors TopK::batched(std::span<const BatchedInput> inputs, int64_t) const {
  return call_all(*this, {&inputs[0].value, 1});
}

/// The rows of all calls are rows of one.
Tensors InTopK::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::with_folded(*this, inputs, size);
}

Attributes TopK::attributes() const { return {{"k", k}}; }

Attributes InTopK::attributes() const { return {{"k", k}}; }

}  // namespace alula
