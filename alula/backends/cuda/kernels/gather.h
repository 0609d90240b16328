#pragma once
#include "alula/runtime/op.h"

namespace alula::cuda {

/// What is picked: rows of `chosen` slices of `size` elements each; `repeats` rows that follow one
/// another share their positions, which are indices into `dims`.
struct Picks {
  int64_t repeats, chosen, size;
  Shape dims;
};

void gather_slices(const KernelCall& call, const View& params, const View& indices, const View& y,
                   const Picks& picks);

}  // namespace alula::cuda
