#include "alula/graph/plan.h"

#include <algorithm>
#include <numeric>

namespace alula::graph {
namespace {

size_t aligned(size_t bytes) {
  return (bytes + memory::kAlignment - 1) / memory::kAlignment * memory::kAlignment;
}

bool at_the_same_time(const Block& a, const Block& b) {
  return a.first <= b.last && b.first <= a.last;
}

}  // namespace

Plan plan_memory(std::span<const Block> blocks) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return blocks[a].bytes > blocks[b].bytes; });
  Plan plan{std::vector<size_t>(blocks.size(), 0), 0};
  std::vector<size_t> placed;  // by their offsets
  for (size_t block : order) {
    size_t offset = 0;
    for (size_t other : placed) {
      if (!at_the_same_time(blocks[block], blocks[other])) continue;
      if (offset + aligned(blocks[block].bytes) <= plan.offsets[other]) break;
      offset = std::max(offset, plan.offsets[other] + aligned(blocks[other].bytes));
    }
    plan.offsets[block] = offset;
    plan.bytes = std::max(plan.bytes, offset + aligned(blocks[block].bytes));
    placed.insert(
        std::upper_bound(placed.begin(), placed.end(), block,
                         [&](size_t a, size_t b) { return plan.offsets[a] < plan.offsets[b]; }),
        block);
  }
  return plan;
}

size_t least_memory(std::span<const Block> blocks) {
  size_t most = 0;
  for (const Block& at : blocks) {  // usage only grows where a block begins
    size_t bytes = 0;
    for (const Block& block : blocks)
      if (block.first <= at.first && at.first <= block.last) bytes += aligned(block.bytes);
    most = std::max(most, bytes);
  }
  return most;
}

}  // namespace alula::graph
