#pragma once
#include "alula/backends/cuda/card.h"
#include "alula/ops/window.h"

namespace alula::cuda {

/// Images of values at the winners' positions, zeros elsewhere: max_pool2d_scatter.
void scatter_winners(const KernelCall& call, const Windows& windows, const View& values,
                     const View& positions, const View& result);

}  // namespace alula::cuda
