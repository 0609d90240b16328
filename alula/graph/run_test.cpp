#include "alula/graph/run.h"

#include "alula/graph/trace.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// Its elements that are positive: how many is known only then.
Tensor positive(const Tensor& x) {
  const auto f = [](const Tensor& x) {
    std::vector<float> kept;
    for (float value : x.span<float>())
      if (value > 0) kept.push_back(value);
    return Tensor(kept);
  };
  return host_function(f, x, {float32, {kUnknown}});
}

}  // namespace

TEST(Run, RunsAGraphNodeByNode) {
  Variable v(Tensor{1.f, 1.f, 1.f});
  const graph::TracedFunction f = [&](const std::vector<Tensor>& in) {
    v.assign_add(in[0]);
    return std::vector<Tensor>{positive(v * in[1]), v};
  };
  const graph::Graph graph = graph::trace(f, std::vector<Spec>{{float32, {3}}, {float32, {}}});
  EXPECT_FALSE(graph::has_known_shapes(graph));
  const Tensor x = {1.f, -5.f, 3.f}, two(2.f), wrong(1);
  const auto run = [&](const Tensor& a, const Tensor& b) {
    const Tensor* inputs[] = {&a, &b};
    return graph::run(graph, TensorRefs(inputs));
  };
  const Tensors results = run(x, two);
  expect_equal(results[0], {{2}, {4, 8}}, float32);
  expect_equal(results[1], {{3}, {2, -4, 4}}, float32);
  expect_equal(v, {{3}, {2, -4, 4}}, float32);

  EXPECT_ERROR(run(x, wrong), InvalidArgumentError,
               "function: input 1 must be float32[]. Got int32[].");
  EXPECT_ERROR(run(x, x), InvalidArgumentError, "input 1 must be float32[]. Got float32[3].");
  EXPECT_ERROR(run(x, Tensor()), InvalidArgumentError, "function: input 1 is not defined yet");
  const Tensor* one[] = {&x};
  EXPECT_ERROR(graph::run(graph, TensorRefs(one)), InvalidArgumentError, "takes more inputs");
  expect_equal(v, {{3}, {2, -4, 4}}, float32);
}

TEST(Run, AFailedRunChangesNothing) {
  Variable v(Tensor{1.f});
  const graph::TracedFunction f = [&](const std::vector<Tensor>& in) {
    v.assign_add(in[0]);
    const auto fails = [](const Tensor&) -> Tensor { throw std::runtime_error("not now"); };
    return std::vector<Tensor>{host_function(fails, v, {float32, {kUnknown}})};
  };
  const graph::Graph graph = graph::trace(f, std::vector<Spec>{{float32, {1}}});
  const Tensor x = {1.f};
  const Tensor* inputs[] = {&x};
  EXPECT_ERROR(graph::run(graph, TensorRefs(inputs)), std::runtime_error, "not now");
  expect_equal(v, {{1}, {1}}, float32);
}
