#pragma once
#include <cmath>
#include <sstream>

#include "alula/autograd/tape.h"
#include "alula/graph/compiled.h"
#include "alula/graph/edit.h"
#include "alula/graph/passes.h"
#include "alula/graph/trace.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

/// What the tests of passes share.
namespace alula::graph::testing {

using Inputs = std::vector<Tensor>;

/// Whether two numbers are the same but for a relative difference; NaN is like NaN.
inline bool is_close(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

inline void expect_close(const Tensor& got, const Tensor& expected, double tolerance) {
  ASSERT_EQ(got.spec(), expected.spec());
  const auto a = cast(got, float64).to_vector<double>(),
             b = cast(expected, float64).to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_TRUE(is_close(a[i], b[i], tolerance)) << a[i] << " instead of " << b[i] << " at " << i;
}

/// The largest magnitude in a tensor.
inline double largest(const Tensor& tensor) {
  double most = 0;
  for (const double x : cast(tensor, float64).to_vector<double>())
    most = std::max(most, std::abs(x));
  return most;
}

/// Whether two tensors are alike but for absolute differences.
inline bool are_close(const Tensor& a, const Tensor& b, double tolerance) {
  if (a.spec() != b.spec()) return false;
  const auto x = cast(a, float64).to_vector<double>(), y = cast(b, float64).to_vector<double>();
  for (size_t i = 0; i < x.size(); ++i)
    if (!(std::abs(x[i] - y[i]) <= tolerance) && !is_close(x[i], y[i], 0)) return false;
  return true;
}

/// The graph of a function when a pass has been over it.
inline Graph graph_after(void (*pass)(Graph&), const TracedFunction& function,
                         const Inputs& inputs) {
  std::vector<Spec> specs;
  for (const Tensor& input : inputs) specs.push_back(input.spec());
  Graph graph = trace(function, specs);
  pass(graph);
  sort(graph);
  remove_dead(graph);
  return graph;
}

/// The text of that graph, without its inputs' lines, once its results are found to be those of the
/// function.
inline std::string after(void (*pass)(Graph&), const TracedFunction& function, const Inputs& inputs,
                         double tolerance = 0) {
  const Graph graph = graph_after(pass, function, inputs);
  Compiled compiled(graph, {.without = {"all"}});
  std::vector<const Tensor*> refs;
  for (const Tensor& input : inputs) refs.push_back(&input);
  const Tensors got = compiled.run(TensorRefs(refs));
  const std::vector<Tensor> expected = function(inputs);
  EXPECT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) expect_close(got[i], expected[i], tolerance);
  std::istringstream lines(graph.str());
  std::string text;
  for (std::string line; std::getline(lines, line);)
    if (line.find("= input") == std::string::npos) text += line + "\n";
  return text;
}

}  // namespace alula::graph::testing
