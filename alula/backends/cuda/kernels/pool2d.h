#pragma once
#include "alula/backends/cuda/card.h"
#include "alula/ops/window.h"

namespace alula::cuda {

/// The largest value of each window, and, unless `positions` is null, the first place of it.
void find_winners(const KernelCall& call, const Windows& windows, const View& input,
                  const View& values, const View* positions);

/// Images of values at the winners' positions, zeros elsewhere: max_pool2d_scatter.
void scatter_winners(const KernelCall& call, const Windows& windows, const View& values,
                     const View& positions, const View& result);

}  // namespace alula::cuda
