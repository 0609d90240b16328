#pragma once
#include <span>
#include <vector>

#include "alula/core/tensor.h"

namespace alula::graph {

/// A block of memory that is used from step `first` to step `last`, both included.
struct Block {
  size_t bytes = 0;
  size_t first = 0;
  size_t last = 0;
};

/// Where the blocks lie in one arena: those in use at the same time don't overlap.
struct Plan {
  std::vector<size_t> offsets;
  size_t bytes = 0;
};

/// Finds places, the largest blocks first, each at the lowest address that is free while it is
/// used.
Plan plan_memory(std::span<const Block> blocks);

/// The most bytes in use at one step: no plan can do with less.
size_t least_memory(std::span<const Block> blocks);

}  // namespace alula::graph
