#pragma once
#include "alula/core/tensor.h"

namespace alula {

/// The logarithm of the beta function of the numbers along the last axis: the sum of their lgamma,
/// less the lgamma of their sum. [..., n] -> [...]. Floating types.
///   lbeta({2.f, 3.f})  ->  -2.4849067
Tensor lbeta(const Tensor& x);

}  // namespace alula
