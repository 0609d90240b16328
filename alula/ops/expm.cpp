#include "alula/ops/expm.h"

#include "alula/ops/concat.h"
#include "alula/ops/fill.h"
#include "alula/ops/matrix.h"
#include "alula/ops/slice.h"

namespace alula {
namespace {

const RegisterOp<Expm> registered;

}  // namespace

Tensor linalg::expm(const Tensor& input) { return call(Expm(), input); }

Specs Expm::infer(SpecRefs inputs) const {
  require_square(kName, inputs[0]);
  return {inputs[0]};
}

/// The upper right block of the exponential of ((A', D), (0, A')).
Gradients Expm::gradient(const Recorded& call) const {
  const Tensor a = linalg::matrix_transpose(call.input());
  const Tensor top = concat({a, call.dy()}, -1), bottom = concat({zeros_like(a), a}, -1);
  const Tensor both = linalg::expm(concat({top, bottom}, -2));
  const int64_t n = columns_of(a.shape());
  const Tensor right = slice_along(both, a.rank() - 1, n, n);
  return {slice_along(right, a.rank() - 2, 0, n)};
}

}  // namespace alula
