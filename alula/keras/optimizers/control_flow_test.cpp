#include "alula/autograd/tape.h"
#include "alula/graph/control/cond.h"
#include "alula/graph/control/while_loop.h"
#include "alula/graph/function.h"
#include "alula/keras/optimizers/adam.h"
#include "alula/keras/optimizers/sgd.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

/// Steps of optimizers inside branches and loops of compiled functions.
using namespace alula;
using namespace alula::testing;

namespace {

using List = std::vector<Tensor>;
using MakeOptimizer = std::function<keras::Optimizer()>;

std::vector<MakeOptimizer> optimizers() {
  return {
      [] {
        return keras::Optimizer(keras::optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}));
      },
      [] { return keras::Optimizer(keras::optimizers::Adam({.learning_rate = 0.05})); },
      [] {
        return keras::Optimizer(
            keras::optimizers::Adam({.learning_rate = 0.05, .gradient_accumulation_steps = 2}));
      }};
}

/// What a variable is after some calls of a function that changes it, and how many steps there
/// were.
template <class F>
std::vector<float> after_calls(const MakeOptimizer& make, const F& body, bool compile) {
  Variable w(Tensor{1.f, -2.f});
  keras::Optimizer optimizer = make();
  const auto step = [&](const Tensor& x) {
    GradientTape tape;
    const Tensor loss = reduce_sum(square(w * x - 1));
    optimizer.apply({tape.gradient(loss, w)}, {w});
  };
  const auto f = [&](const Tensor& x) { return body(step, x); };
  const auto compiled = function(f);
  std::vector<float> seen;
  for (float x : {1.f, -1.f, 2.f, 0.5f, -2.f}) {
    if (compile)
      compiled(Tensor(x));
    else
      f(Tensor(x));
    for (float value : w.value().to_vector<float>()) seen.push_back(value);
    seen.push_back(static_cast<float>(optimizer.iterations().value().item<int64_t>()));
  }
  return seen;
}

template <class F>
void compare(const F& body) {
  for (const MakeOptimizer& make : optimizers()) {
    const std::vector<float> eager = after_calls(make, body, false);
    const std::vector<float> compiled = after_calls(make, body, true);
    for (size_t i = 0; i < eager.size(); ++i) EXPECT_NEAR(compiled[i], eager[i], 1e-5) << i;
  }
}

}  // namespace

TEST(OptimizersInControlFlow, AStepThatIsTakenOrNot) {
  compare([](const auto& step, const Tensor& x) {
    cond(x > 0, [&] { step(x); }, [] {});
    return x;
  });
}

TEST(OptimizersInControlFlow, StepsBeforeInAndAfterABranch) {
  compare([](const auto& step, const Tensor& x) {
    step(x);
    cond(x > 0, [&] { step(x * 2); }, [] {});
    step(x + 1);
    return x;
  });
}

TEST(OptimizersInControlFlow, StepsInALoop) {
  compare([](const auto& step, const Tensor& x) {
    const Tensor n = cast(alula::abs(x) * 2, int32);
    while_loop([&](const List& v) { return v[0] < n; },
               [&](const List& v) {
                 step(x + cast(v[0], float32));
                 return List{v[0] + 1};
               },
               {Tensor(0)});
    return x;
  });
}
