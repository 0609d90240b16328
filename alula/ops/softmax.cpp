#include "alula/ops/softmax.h"

#include "alula/ops/exp.h"
#include "alula/ops/mul.h"
#include "alula/ops/reduce.h"
#include "alula/ops/sub.h"

namespace alula {
namespace {

const RegisterOp<Softmax> softmax_registered;
const RegisterOp<LogSoftmax> log_softmax_registered;

}  // namespace

Tensor softmax(const Tensor& logits, const SoftmaxOptions& options) {
  return call(Softmax(options), logits);
}
Tensor log_softmax(const Tensor& logits, const SoftmaxOptions& options) {
  return call(LogSoftmax(options), logits);
}

Gradients Softmax::gradient(const Recorded& call) const {
  const Tensor &y = call.output(), &dy = call.dy();
  const Tensor mean = reduce_sum(mul(dy, y), {.axis = axis, .keepdims = true});
  return {mul(sub(dy, mean), y)};
}

Gradients LogSoftmax::gradient(const Recorded& call) const {
  const Tensor &y = call.output(), &dy = call.dy();
  const Tensor sum = reduce_sum(dy, {.axis = axis, .keepdims = true});
  return {sub(dy, mul(exp(y), sum))};
}

Attributes attributes_of(const SoftmaxOptions& options) { return {{"axis", options.axis}}; }

}  // namespace alula
