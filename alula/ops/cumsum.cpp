#include "alula/ops/cumsum.h"

#include "alula/ops/attributes.h"
#include "alula/ops/divide_no_nan.h"
#include "alula/ops/mul.h"

namespace alula {
namespace {

const RegisterOp<CumSum> sum_registered;
const RegisterOp<CumProd> prod_registered;

}  // namespace

Tensor cumsum(const Tensor& x, const CumulativeOptions& options) {
  return call(CumSum(options), x);
}
Tensor cumprod(const Tensor& x, const CumulativeOptions& options) {
  return call(CumProd(options), x);
}

/// An element is part of its own result and of those behind it.
Gradients CumSum::gradient(const Recorded& call) const {
  return {cumsum(call.dy(), {.axis = axis, .exclusive = exclusive, .reverse = !reverse})};
}

Gradients CumProd::gradient(const Recorded& call) const {
  const Tensor sums = cumsum(mul(call.output(), call.dy()),
                             {.axis = axis, .exclusive = exclusive, .reverse = !reverse});
  return {divide_no_nan(sums, call.input())};
}

Attributes attributes_of(const CumulativeOptions& options) {
  Attributes attributes = {{"axis", options.axis}};
  add_unless(false, attributes, "exclusive", options.exclusive);
  add_unless(false, attributes, "reverse", options.reverse);
  return attributes;
}

}  // namespace alula
