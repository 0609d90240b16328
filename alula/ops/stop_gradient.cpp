#include "alula/ops/stop_gradient.h"

namespace alula {
namespace {

const RegisterOp<StopGradient> registered;

}  // namespace

Tensor stop_gradient(const Tensor& x) { return call(StopGradient(), x); }

}  // namespace alula
