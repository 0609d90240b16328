#include "alula/graph/control/switch_case.h"

#include "alula/autograd/tape.h"
#include "alula/graph/function.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {
using List = std::vector<Tensor>;
}

TEST(SwitchCase, CallsTheFunctionOfThatNumber) {
  const auto f = [](const Tensor& index, const Tensor& x) {
    GradientTape tape;
    tape.watch(x);
    const Tensor y = switch_case(index, {[&] { return List{x}; }, [&] { return List{x * x}; },
                                         [&] { return List{x * x * x}; }})[0];
    return List{y, tape.gradient(y, x)};
  };
  const auto compiled = function(f);
  const Tensor x(3.f);
  for (const auto& [index, value, slope] : std::vector<std::tuple<int, double, double>>{
           {0, 3, 1}, {1, 9, 6}, {2, 27, 27}, {3, 27, 27}, {-1, 27, 27}})
    for (const List& result : {f(Tensor(index), x), compiled(Tensor(index), x)}) {
      expect_equal(result[0], {{}, {value}}, float32);
      expect_equal(result[1], {{}, {slope}}, float32);
    }
  EXPECT_ERROR(switch_case(Tensor(1.f), {}), InvalidArgumentError, "scalar int32. Got float32[]");
  EXPECT_ERROR(switch_case(Tensor(1), {}), InvalidArgumentError, "no function");
  EXPECT_ERROR(switch_case(Tensor(1), {nullptr}), InvalidArgumentError, "no function");
}

TEST(Case, CallsTheFirstThatIsTrue) {
  const auto f = [](const Tensor& x) {
    return case_({{x < 0, [&] { return List{x - 1}; }}, {x < 10, [&] { return List{x * 2}; }}},
                 [&] { return List{zeros_like(x)}; });
  };
  const auto compiled = function(f);
  for (const auto& [x, y] : std::vector<std::pair<float, double>>{{-1, -2}, {4, 8}, {20, 0}})
    for (const List& result : {f(Tensor(x)), compiled(Tensor(x))})
      expect_equal(result[0], {{}, {y}}, float32);
  EXPECT_ERROR(case_({}, nullptr), InvalidArgumentError, "no default function");
}
