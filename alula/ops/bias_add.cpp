#include "alula/ops/bias_add.h"

#include "alula/ops/add.h"

namespace alula {

Tensor bias_add(const Tensor& x, const Tensor& bias) {
  constexpr const char* kName = "bias_add";
  require(x.defined() && bias.defined(), "{}: an input is not defined yet.", kName);
  require(x.rank() >= 1, "{}: x needs at least 1 dimension, its channels. Got x {}, bias {}.",
          kName, x.spec(), bias.spec());
  require(bias.rank() == 1, "{}: the bias must have 1 dimension. Got x {}, bias {}.", kName,
          x.spec(), bias.spec());
  require(compatible(bias.shape(), {x.shape().back()}),
          "{}: x has {} channels but the bias has {}. Got x {}, bias {}.", kName, x.shape().back(),
          bias.shape()[0], x.spec(), bias.spec());
  require(x.dtype() == bias.dtype(), "{}: the dtypes differ. Got x {}, bias {}. Use cast().", kName,
          x.spec(), bias.spec());
  return add(x, bias);
}

}  // namespace alula
