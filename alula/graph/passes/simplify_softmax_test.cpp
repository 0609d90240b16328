#include "alula/graph/passes/pass_test.h"

using namespace alula;
using namespace alula::graph;
using namespace alula::graph::testing;

namespace {

const Tensor kLogits = {{0.5F, -1.F, 2.F}, {1.F, 1.5F, -3.F}};
const Tensor kLabels = {2, 0};
const Tensor kShares = {{0.25F, 0.25F, 0.5F}, {0.F, 1.F, 0.F}};
constexpr double kTolerance = 1e-6;

std::vector<std::string> ops_in(const std::string& text) {
  std::vector<std::string> ops;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (const size_t at = line.find("= "); at != std::string::npos)
      ops.push_back(line.substr(at + 2, line.find_first_of(" (", at + 2) - at - 2));
  return ops;
}
using Names = std::vector<std::string>;

/// A loss and its gradient with respect to the logits.
TracedFunction with_gradient(const std::function<Tensor(const Tensor&)>& loss) {
  return [=](const std::vector<Tensor>& in) {
    GradientTape tape;
    tape.watch(in[0]);
    const Tensor value = loss(in[0]);
    return std::vector{value, tape.gradient(value, in[0])};
  };
}

}  // namespace

TEST(SimplifySoftmax, LogOfSoftmax) {
  EXPECT_EQ(after(
                simplify_softmax,
                [](const auto& in) { return std::vector{alula::log(softmax(in[0], {.axis = 0}))}; },
                {kLogits}, kTolerance),
            "%1 = log_softmax(axis=0) %0 : float32[2,3]\nreturn %1\n");
}

TEST(SimplifySoftmax, GradientOfLogOfSoftmax) {
  const auto f =
      with_gradient([](const Tensor& x) { return reduce_sum(alula::log(softmax(x)) * kShares); });
  const std::string text = after(simplify_softmax, f, {kLogits}, kTolerance);
  EXPECT_EQ(text.find("log_gradient"), std::string::npos) << text;
  EXPECT_EQ(text.find(" log "), std::string::npos) << text;
  // Where a probability vanishes, the loss and its gradient stay finite.
  const Tensor far = {{200.F, 0.F, 0.F}};
  const Graph graph =
      graph_after(simplify_softmax,
                  with_gradient([](const Tensor& x) { return alula::log(softmax(x)); }), {far});
  Compiled compiled(graph, {.without = {"all"}});
  const Tensor* refs[] = {&far};
  const Tensors got = compiled.run(TensorRefs(refs));
  expect_close(got[0], Tensor{{0.F, -200.F, -200.F}}, kTolerance);
  expect_close(got[1], Tensor{{-2.F, 1.F, 1.F}}, kTolerance);
}

TEST(SimplifySoftmax, CrossEntropyOfLogSoftmax) {
  for (const bool sparse : {true, false}) {
    const auto f = with_gradient([=](const Tensor& x) {
      const Tensor logs = alula::log(softmax(x));
      return sparse ? sparse_softmax_cross_entropy(kLabels, logs)
                    : softmax_cross_entropy(kShares, logs);
    });
    const std::string text = after(simplify_softmax, f, {kLogits}, kTolerance);
    const std::string name = sparse ? "sparse_softmax_cross_entropy" : "softmax_cross_entropy";
    const Names ops = ops_in(text);
    EXPECT_EQ(std::count(ops.begin(), ops.end(), "log_softmax"), 0) << text;
    EXPECT_EQ(std::count(ops.begin(), ops.end(), name), 1) << text;
    EXPECT_EQ(std::count(ops.begin(), ops.end(), name + "_gradient"), 1) << text;
    EXPECT_EQ(std::count(ops.begin(), ops.end(), "exp"), 0) << text;
  }
}

TEST(SimplifySoftmax, WrittenByHand) {
  EXPECT_EQ(ops_in(after(
                simplify_softmax,
                [](const auto& in) {
                  const Tensor logs = alula::log(softmax(in[0]));
                  return std::vector{-gather(logs, kLabels, {.batch_dims = 1})};
                },
                {kLogits}, kTolerance)),
            (Names{"constant", "sparse_softmax_cross_entropy"}));
  EXPECT_EQ(ops_in(after(
                simplify_softmax,
                [](const auto& in) {
                  return std::vector{-reduce_sum(kShares * log_softmax(in[0]), {.axis = -1})};
                },
                {kLogits}, kTolerance)),
            (Names{"constant", "softmax_cross_entropy"}));
}

TEST(SimplifySoftmax, KeepsLogarithmsThatOthersRead) {
  const std::string text = after(
      simplify_softmax,
      [](const auto& in) {
        const Tensor logs = log_softmax(in[0]);
        return std::vector{-gather(logs, kLabels, {.batch_dims = 1}), logs};
      },
      {kLogits}, kTolerance);
  EXPECT_EQ(text.find("cross_entropy"), std::string::npos);
}

TEST(SimplifySoftmax, LeavesOtherAxesAndGathersAlone) {
  const auto has_cross_entropy = [](const TracedFunction& f) {
    return after(simplify_softmax, f, {kLogits}, kTolerance).find("cross_entropy") !=
           std::string::npos;
  };
  EXPECT_FALSE(has_cross_entropy([](const auto& in) {
    return std::vector{-gather(log_softmax(in[0], {.axis = 0}), kLabels, {.batch_dims = 1})};
  }));
  EXPECT_FALSE(has_cross_entropy([](const auto& in) {
    return std::vector{-gather(log_softmax(in[0]), kLabels, {.axis = 1})};
  }));
  EXPECT_FALSE(has_cross_entropy([](const auto& in) {
    return std::vector{-reduce_sum(kShares * log_softmax(in[0]), {.axis = 0})};
  }));
}
