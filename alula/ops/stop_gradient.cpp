#include "alula/ops/stop_gradient.h"

namespace alula {
namespace {

const RegisterOp<StopGradient> registered;

}  // namespace

Tensor stop_gradient(const Tensor& x) { return call(StopGradient(), x); }

Tensors StopGradient::batched(std::span<const BatchedInput> inputs, int64_t) const {
  return {stop_gradient(inputs[0].value)};
}

}  // namespace alula
