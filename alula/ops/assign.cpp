#include "alula/ops/add.h"
#include "alula/ops/sub.h"
#include "alula/runtime/autocast.h"
#include "alula/runtime/devices.h"

namespace alula {

void Variable::update(const char* who, const Tensor& given, bool subtract) {
  Tensor recast;
  if (t_state.flags & kAutocasting) [[unlikely]]
    recast = as_stored(given, *this);
  const Tensor& delta = recast.defined() ? recast : given;
  check(who, delta);
  const DeviceScope home(device());  // wherever the delta is, and whatever scope this is in
  const Elementwise& function = subtract ? sub : add;
  const TensorOrVariable inputs[] = {*this, delta};
  update_variables(ElementwiseOp(function.program(dtype())), inputs, {this, 1});
}

void Variable::assign_add(const Tensor& delta) { update("assign_add", delta, false); }
void Variable::assign_sub(const Tensor& delta) { update("assign_sub", delta, true); }

}  // namespace alula
