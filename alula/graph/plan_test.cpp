#include "alula/graph/plan.h"

#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::graph;
using namespace alula::testing;

namespace {

void check(const std::vector<Block>& blocks, const Plan& plan) {
  for (size_t a = 0; a < blocks.size(); ++a) {
    EXPECT_EQ(plan.offsets[a] % memory::kAlignment, 0u);
    EXPECT_LE(plan.offsets[a] + blocks[a].bytes, plan.bytes);
    for (size_t b = 0; b < a; ++b) {
      const bool together = blocks[a].first <= blocks[b].last && blocks[b].first <= blocks[a].last;
      const bool apart = plan.offsets[a] + blocks[a].bytes <= plan.offsets[b] ||
                         plan.offsets[b] + blocks[b].bytes <= plan.offsets[a];
      EXPECT_TRUE(!together || apart) << a << " and " << b;
    }
  }
}

}  // namespace

TEST(PlanMemory, UsesSpaceAgain) {
  // A chain: each block is read by the next step.
  const std::vector<Block> chain = {{640, 0, 1}, {640, 1, 2}, {640, 2, 3}, {640, 3, 4}};
  const Plan plan = plan_memory(chain);
  check(chain, plan);
  EXPECT_EQ(plan.bytes, 1280u);
  EXPECT_EQ(least_memory(chain), 1280u);
  EXPECT_EQ(plan_memory({}).bytes, 0u);
}

TEST(PlanMemory, NeverOverlapsAndStaysNearTheLeast) {
  double worst = 1;
  for (int round = 0; round < 200; ++round) {
    std::vector<Block> blocks;
    for (int i = 0; i < 60; ++i) {
      const auto first = static_cast<size_t>(random_int(0, 50));
      blocks.push_back({static_cast<size_t>(random_int(1, 5000)), first,
                        first + static_cast<size_t>(random_int(0, 8))});
    }
    const Plan plan = plan_memory(blocks);
    check(blocks, plan);
    worst = std::max(worst,
                     static_cast<double>(plan.bytes) / static_cast<double>(least_memory(blocks)));
  }
  EXPECT_LT(worst, 1.4);  // of random blocks; those of real models lie better
}
