#include "alula/ops/cumsum.h"

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

}  // namespace alula
