#include "alula/ops/divide.h"

#include "alula/ops/cast.h"
#include "alula/ops/div.h"

namespace alula {

Tensor divide(const Argument& a, const Argument& b) {
  const DType dtype = common_dtype("divide", {&a, &b});
  const Tensor x = a.as(dtype, "divide"), y = b.as(dtype, "divide");
  require(x.dtype() == y.dtype(), "divide: the dtypes differ. Got {}, {}. Use cast().", x.spec(),
          y.spec());
  if (!is_integer(dtype)) return div(x, y);
  const DType quotient = size_of(dtype) <= 2 ? float32 : float64;
  return div(cast(x, quotient), cast(y, quotient));
}

}  // namespace alula
