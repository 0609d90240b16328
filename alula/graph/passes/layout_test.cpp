#include "alula/graph/edit.h"
#include "alula/graph/function.h"
#include "alula/graph/passes.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::graph;
using namespace alula::testing;

namespace {

std::string laid_out(const TracedFunction& function, const std::vector<Spec>& specs) {
  Graph graph = trace(function, specs);
  layout(graph);
  sort(graph);
  remove_dead(graph);
  std::string text;
  for (const Node& node : graph.nodes)
    if (node.kind == Node::Kind::kOp) text += std::string(node.op->name()) + " ";
  return text;
}

}  // namespace

TEST(Layout, MovesTranspositionsBehindElementwiseOps) {
  EXPECT_EQ(laid_out(
                [](const auto& in) {
                  const Tensor x = transpose(in[0], {0, 3, 1, 2});
                  return std::vector{transpose(relu(x * x + 1), {0, 2, 3, 1})};
                },
                {{float32, {2, 4, 5, 3}}}),
            "mul add relu transpose transpose ");
}

TEST(Layout, LeavesThoseThatDiffer) {
  EXPECT_EQ(laid_out(
                [](const auto& in) {
                  return std::vector{transpose(in[0], {0, 2, 1}) + transpose(in[1], {2, 1, 0})};
                },
                {{float32, {2, 2, 2}}, {float32, {2, 2, 2}}}),
            "transpose transpose add ");
}

TEST(Layout, LeavesThoseThatOthersRead) {
  EXPECT_EQ(laid_out(
                [](const auto& in) {
                  const Tensor x = transpose(in[0]);
                  return std::vector{relu(x), x};
                },
                {{float32, {2, 3}}}),
            "transpose relu ");
}

TEST(Layout, LeavesThoseThatBroadcast) {
  EXPECT_EQ(laid_out([](const auto& in) { return std::vector{transpose(in[0]) + in[1]}; },
                     {{float32, {2, 3}}, {float32, {2}}}),
            "transpose add ");
}

TEST(Layout, ChangesNoValues) {
  const auto f = [](const Tensor& x, const Tensor& y) {
    return alula::exp(transpose(x, {1, 2, 0}) * transpose(y, {1, 2, 0}) - 1);
  };
  const Tensor x = random_tensor({float32, {2, 3, 4}}), y = random_tensor({float32, {2, 3, 4}});
  EXPECT_EQ(function(f)(x, y).to_vector<float>(), f(x, y).to_vector<float>());
}
