#pragma once
#include "alula/backends/cuda/card.h"

namespace alula::cuda {

/// Sums that several blocks have parts of.
struct Parts {
  const void* parts;  // [count, size]
  DType dtype;        // of the parts
  int64_t count, size;
  const View* first;             // where the sums go
  const View* second = nullptr;  // where those go that are no longer in the first
};

/// Adds the parts, in an order that is always the same.
void add_parts(const KernelCall& call, const Parts& parts);

}  // namespace alula::cuda
