#pragma once
#include "alula/runtime/op.h"

namespace alula::cuda {

/// Rows of counts (uint32) on the card.
struct CountRows {
  const void* data;
  int64_t rows, length;
};

/// Writes the sum of all counts before each in its row.
void exclusive_sums(const KernelCall& call, const CountRows& counts, void* sums);

}  // namespace alula::cuda
