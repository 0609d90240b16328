#include "alula/graph/differentiable.h"

#include "alula/autograd/tape.h"
#include "alula/graph/trace.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::graph;
using namespace alula::testing;

namespace {

void expect_near(const Tensor& got, const Tensor& want) {
  ASSERT_EQ(got.spec(), want.spec());
  const auto a = got.to_vector<float>(), b = want.to_vector<float>();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5 * (1 + std::abs(b[i])));
}

}  // namespace

TEST(Differentiable, GradientsAreThoseOfTheOps) {
  Variable w(Tensor{{1.F, -2.F}, {3.F, 0.5F}});
  const Tensor x{{1.F, 2.F}, {-1.F, 4.F}, {0.F, 1.F}};
  const auto f = [&](const std::vector<Tensor>& in) {
    const Tensor y = alula::tanh(matmul(in[0], w.value()));
    return std::vector{reduce_sum(y * y), argmax(y, {.axis = 1}), y + in[0]};
  };
  const std::vector<Spec> specs{x.spec()};
  const Graph graph = trace(f, specs);
  ASSERT_TRUE(Differentiable::can_be(graph));
  const Differentiable compiled(graph);

  const auto gradients = [&](const auto& call) {
    GradientTape tape({.persistent = true});
    tape.watch(x);
    const auto results = call();
    const Tensor target = results[0] + reduce_sum(results[2]);
    std::vector<Tensor> all{tape.gradient(target, x), tape.gradient(target, w), results[0],
                            cast(results[1], float32), results[2]};
    return all;
  };
  const auto want = gradients([&] { return f({x}); });
  for (int i = 0; i < 2; ++i) {
    const auto got = gradients([&] { return compiled.run(TensorRefs(std::vector{&x})); });
    for (size_t k = 0; k < want.size(); ++k) expect_near(got[k], want[k]);
  }
}

TEST(Differentiable, GradientsHaveGradients) {
  const Tensor x{2.F, 3.F};
  const std::vector<Spec> specs{x.spec()};
  const Differentiable cube(
      trace([](const auto& in) { return std::vector{in[0] * in[0] * in[0]}; }, specs));
  GradientTape outer;
  outer.watch(x);
  Tensor slope;
  {
    GradientTape inner;
    inner.watch(x);
    slope = inner.gradient(cube.run(TensorRefs(std::vector{&x}))[0], x);
  }
  expect_near(slope, Tensor{12.F, 27.F});
  expect_near(outer.gradient(slope, x), Tensor{12.F, 18.F});
}

TEST(Differentiable, VariablesAreWritten) {
  Variable count(Tensor(1.F));
  const Tensor x(3.F);
  const std::vector<Spec> specs{x.spec()};
  const Differentiable f(trace(
      [&](const auto& in) {
        const Tensor y = in[0] * count.value();
        count.assign_add(Tensor(1.F));
        return std::vector{y};
      },
      specs));
  for (int i = 1; i <= 3; ++i) {
    GradientTape tape;
    tape.watch(x);
    const Tensor y = f.run(TensorRefs(std::vector{&x}))[0];
    EXPECT_EQ(y.item<float>(), 3.F * static_cast<float>(i));
    EXPECT_EQ(tape.gradient(y, x).item<float>(), static_cast<float>(i));
  }
  EXPECT_EQ(count.value().item<float>(), 4.F);
}

TEST(Differentiable, NotWithRandomNumbers) {
  const Graph graph =
      trace([](const auto& in) { return std::vector{in[0] * random::uniform({2})}; },
            std::vector<Spec>{{float32, {2}}});
  EXPECT_FALSE(Differentiable::can_be(graph));
}
