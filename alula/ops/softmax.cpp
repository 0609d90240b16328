#include "alula/ops/softmax.h"

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

}  // namespace alula
