#include "alula/graph/function.h"
#include "alula/graph/passes.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::graph;
using namespace alula::testing;

namespace {

/// The ops that a function compiles to; its value is compared with that of an eager call.
template <class F, class... T>
std::vector<std::string> compiled_ops(const F& f, const T&... inputs) {
  const auto compiled = function(f);
  const Tensor got = compiled(inputs...), expected = f(inputs...);
  EXPECT_EQ(got.spec(), expected.spec());
  const auto a = cast(got, float64).template to_vector<double>(),
             b = cast(expected, float64).template to_vector<double>();
  for (size_t k = 0; k < b.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-5 * (1 + std::abs(b[k])));
  std::vector<std::string> names;
  for (const Node& node : compiled.get_concrete_function(inputs...).nodes)
    if (node.kind == Node::Kind::kOp) names.emplace_back(node.op->name());
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST(FuseReduce, AddsUpWhatIsMade) {
  const Tensor x = random_tensor({float32, {6, 50}}), y = random_tensor({float32, {50}});
  EXPECT_EQ(
      compiled_ops([](const Tensor& x, const Tensor& y) { return reduce_sum(x * y + 1); }, x, y),
      Names{"mul+add+reduce_sum"});
  EXPECT_EQ(compiled_ops([](const Tensor& x) { return reduce_max(alula::abs(x), {.axis = 0}); }, x),
            Names{"abs+reduce_max"});
  EXPECT_EQ(
      compiled_ops(
          [](const Tensor& x) { return reduce_mean(square(x), {.axis = -1, .keepdims = true}); },
          x),
      Names{"square+reduce_mean"});
  EXPECT_EQ(compiled_ops([](const Tensor& x) { return reduce_min(x + x, {.axis = 1}); }, x).size(),
            1);
  EXPECT_EQ(
      compiled_ops([](const Tensor& x) { return reduce_prod(x * 0.5F, {.axis = 0}); }, x).size(),
      1);
}

TEST(FuseReduce, LeavesWhatOthersRead) {
  const Tensor x = random_tensor({float32, {6, 5}});
  EXPECT_EQ(compiled_ops(
                [](const Tensor& x) {
                  const Tensor y = alula::exp(x);
                  return matmul(y, reduce_sum(y, {.axis = 0, .keepdims = true}),
                                {.transpose_b = true});
                },
                x),
            (Names{"exp", "reduce_sum", "matmul"}));
}
