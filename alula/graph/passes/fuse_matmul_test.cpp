#include "alula/graph/function.h"
#include "alula/graph/passes.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::graph;
using namespace alula::testing;

namespace {

/// The ops that a function compiles to; their values are compared with those of eager calls.
template <class F, class... T>
std::vector<std::string> compiled_ops(const F& f, const T&... inputs) {
  const auto compiled = function(f);
  const std::vector<Tensor> got = compiled(inputs...), expected = f(inputs...);
  for (size_t i = 0; i < got.size(); ++i) {
    const auto a = got[i].template to_vector<float>(), b = expected[i].template to_vector<float>();
    for (size_t k = 0; k < b.size(); ++k)
      EXPECT_NEAR(a[k], b[k], 1e-5 * (1 + std::abs(b[k]))) << "output " << i;
  }
  std::vector<std::string> names;
  for (const Node& node : compiled.get_concrete_function(inputs...).nodes)
    if (node.kind == Node::Kind::kOp) names.emplace_back(node.op->name());
  return names;
}

Tensor some(const Shape& shape) { return random_tensor({float32, shape}); }
using Names = std::vector<std::string>;

}  // namespace

TEST(FuseMatMul, TakesBiasAndActivation) {
  const auto f = [](const Tensor& x, const Tensor& w, const Tensor& b) {
    return std::vector{relu(matmul(x, w) + b)};
  };
  EXPECT_EQ(compiled_ops(f, some({5, 7}), some({7, 3}), some({3})), Names{"matmul+add+relu"});
}

TEST(FuseMatMul, GivesOutSeveralResults) {
  const auto f = [](const Tensor& x, const Tensor& w, const Tensor& b) {
    const Tensor sum = matmul(x, w) + b;
    return std::vector{cast(sum > 0, float32), alula::tanh(sum), sum};
  };
  EXPECT_EQ(compiled_ops(f, some({5, 7}), some({7, 3}), some({3})).size(), 1);
}

TEST(FuseMatMul, KeepsAProductThatOthersRead) {
  const auto f = [](const Tensor& x, const Tensor& w) {
    const Tensor product = matmul(x, w);
    return std::vector{relu(product), reduce_sum(product)};
  };
  EXPECT_EQ(compiled_ops(f, some({5, 7}), some({7, 3})), (Names{"matmul", "relu", "reduce_sum"}));
}

TEST(FuseMatMul, KeepsAProductThatIsStretched) {
  const auto f = [](const Tensor& x, const Tensor& w, const Tensor& more) {
    return std::vector{matmul(x, w) + more};
  };
  EXPECT_EQ(compiled_ops(f, some({1, 7}), some({7, 3}), some({4, 3})), (Names{"matmul", "add"}));
  EXPECT_EQ(compiled_ops(f, some({4, 7}), some({7, 1}), some({4, 3})), (Names{"matmul", "add"}));
  EXPECT_EQ(compiled_ops(f, some({4, 7}), some({7, 3}), some({4, 1})), Names{"matmul+add"});
}

TEST(FuseMatMul, TakesOneOfTwoProducts) {
  const auto f = [](const Tensor& x, const Tensor& w) {
    return std::vector{matmul(x, w) * alula::exp(matmul(x, w * 2))};
  };
  EXPECT_EQ(compiled_ops(f, some({5, 7}), some({7, 3})).size(), 3);
}
