#include "alula/keras/layers/rescaling.h"

#include "alula/ops/cast.h"
#include "alula/ops/mul.h"
#include "alula/ops/mul_add.h"

namespace alula::keras {

Tensor RescalingImpl::prepare(const Tensor& input) const { return cast(input, compute_dtype()); }

Tensor RescalingImpl::call(const Tensor& x) {
  if (options.offset == 0) return mul(x, options.scale);
  return mul_add(x, options.scale, options.offset);
}

}  // namespace alula::keras
