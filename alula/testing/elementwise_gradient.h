#pragma once
#include "alula/ops/elementwise.h"
#include "alula/testing/harness.h"

namespace alula::testing {

/// An elementwise function of one element of each input.
using Plain = std::function<double(const std::vector<double>&)>;

/// Checks the gradient of an elementwise function through the tape: the first and second
/// derivatives in float64 against finite differences of `plain`, on every device and with
/// broadcasting; the other floating dtypes against float64, also far out and near 0, where no step
/// may overflow. A function without a gradient must say so (`kNoGradient`). Points too close to a
/// kink for differences are passed over.
void check_gradient(const Elementwise& f, const Function& call, const Plain& plain,
                    const ElementwiseCheck& options);

/// Undoes broadcasting.
Array plain_sum_to(const Array& x, const Shape& shape);

}  // namespace alula::testing
