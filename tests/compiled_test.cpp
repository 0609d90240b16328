// What compiled training steps promise: a run that fails changes nothing, memory is little more
// than what must be live at once, and nothing is allocated but what is returned.
#include "alula/graph/compiled.h"

#include <gtest/gtest.h>

#include "alula/alula.h"
#include "alula/graph/trace.h"
#include "keras_models_test.h"

using namespace alula;

namespace {

/// Stands in for another op, and fails.
struct Failing final : OpOf<Failing> {
  static constexpr const char* kName = "failing";
  static constexpr DTypeSet kDTypes = kNumericOrBool;
  Specs outputs;

  explicit Failing(Specs outputs) : outputs(std::move(outputs)) {}
  Attributes attributes() const override { return {{"outputs", outputs.size()}}; }
  Specs infer(SpecRefs) const override { return outputs; }
};

const RegisterKernel<DeviceType::kCPU, Failing> failing_kernel{
    [](const Failing&, const KernelCall&) {
      fail<ResourceExhaustedError>("failing: as it was told.");
    }};

/// A model with its training step.
struct Training {
  keras::Model model;
  Tensor x, y;
  keras::Optimizer optimizer = keras::optimizers::Adam();
  keras::Loss loss = keras::losses::SparseCategoricalCrossentropy();

  Training(keras::Model of, const Shape& batch)
      : model(std::move(of)),
        x(random::uniform(batch)),
        y(random::uniform({batch[0]}, {.maxval = 10, .dtype = int32})) {
    step({x, y});  // makes the optimizer's variables
  }

  std::vector<Tensor> step(const std::vector<Tensor>& in) {
    GradientTape tape;
    const Tensor value = loss(in[1], model(in[0], {.training = true}));
    const std::vector<Variable> variables = model.trainable_variables();
    optimizer.apply(tape.gradient(value, variables), variables);
    return {value};
  }

  graph::Graph traced() {
    return graph::trace([this](const auto& in) { return step(in); },
                        std::vector{x.spec(), y.spec()});
  }
};

Tensors run(graph::Compiled& compiled, const Training& training) {
  const Tensor* inputs[] = {&training.x, &training.y};
  return compiled.run(TensorRefs(inputs));
}

/// The contents of all variables of a graph.
std::vector<std::vector<double>> contents(const graph::Graph& graph) {
  std::vector<std::vector<double>> result;
  for (const graph::Node& node : graph.nodes)
    if (node.kind == graph::Node::Kind::kVariable)
      result.push_back(cast(node.variable.value(), float64).to_vector<double>());
  return result;
}

void fail_at_every_node(Training training) {
  graph::Graph graph = training.traced();
  graph::optimize(graph);
  const auto before = contents(graph);
  size_t failed = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].kind != graph::Node::Kind::kOp || graph::is_view(graph.nodes[i])) continue;
    graph::Graph broken = graph;
    broken.nodes[i].op = std::make_shared<Failing>(graph.nodes[i].outputs);
    graph::Compiled compiled(broken, {.without = {"all"}});
    EXPECT_THROW(run(compiled, training), ResourceExhaustedError);
    EXPECT_EQ(contents(graph), before) << "after a failure at node " << i << " of\n" << graph.str();
    ++failed;
  }
  EXPECT_GT(failed, 8);
  // And the same graph unbroken changes them.
  graph::Compiled compiled(graph);
  run(compiled, training);
  EXPECT_NE(contents(graph), before);
}

}  // namespace

TEST(Compiled, AFailureAtAnyNodeOfAStepLeavesEveryVariableAsItWas) {
  fail_at_every_node({parity::mlp(), {4, 100}});
  fail_at_every_node({parity::mnist_cnn(), {4, 28, 28, 1}});
}

TEST(Compiled, AFailureOfHostCodeLeavesEveryVariableAsItWas) {
  const Variable v(Tensor(1.F), {.name = "v"});
  bool fails = false;
  const auto step = function([&](const Tensor& x) {
    Variable w = v;
    w.assign_add(x);
    const std::vector<Spec> specs = {{float32, {}}};
    w.assign_add(host_tensors(specs, [&]() -> std::vector<Tensor> {
      require(!fails, "host: as it was told.");
      return {Tensor(1.F)};
    })[0]);
    return w.value();
  });
  step(Tensor(1.F));
  fails = true;
  EXPECT_THROW(step(Tensor(1.F)), InvalidArgumentError);
  EXPECT_EQ(v.value().item<float>(), 3);
}

TEST(Compiled, ArenasAreHardlyLargerThanWhatMustBeLive) {
  for (Training training :
       {Training(parity::mlp(), {32, 100}), Training(parity::mnist_cnn(), {32, 28, 28, 1}),
        Training(parity::resnet(), {8, 28, 28, 1})}) {
    const graph::Compiled compiled(training.traced());
    EXPECT_LE(static_cast<double>(compiled.arena_bytes()),
              1.1 * static_cast<double>(compiled.least_bytes()))
        << compiled.graph().str();
  }
}
