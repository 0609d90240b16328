#include "alula/ops/add.h"
#include "alula/ops/sub.h"
#include "alula/runtime/devices.h"
#include "alula/runtime/variable.h"

namespace alula {

void Variable::update(const char* who, const Tensor& delta, bool subtract) {
  check(who, delta);
  const DeviceScope home(device());  // wherever the delta is, and whatever scope this is in
  const Elementwise& function = subtract ? sub : add;
  Tensor* target = &state().value;
  const Tensor* inputs[] = {target, &delta};
  dispatch_into(ElementwiseOp(function.program(dtype())), TensorRefs(inputs), {&target, 1});
}

void Variable::assign_add(const Tensor& delta) { update("assign_add", delta, false); }
void Variable::assign_sub(const Tensor& delta) { update("assign_sub", delta, true); }

}  // namespace alula
