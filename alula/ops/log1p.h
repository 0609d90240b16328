#pragma once
#include "alula/ops/elementwise.h"

namespace alula {

/// log(1 + x), elementwise; accurate near 0. Floating types.
///   log1p({0.f, 1e-6f})  ->  {0, 9.999995e-07}
inline constinit const Elementwise log1p{"log1p", &scalar::log1p, kFloating};

}  // namespace alula
