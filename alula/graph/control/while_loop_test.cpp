#include "alula/graph/control/while_loop.h"

#include "alula/autograd/tape.h"
#include "alula/graph/control/cond.h"
#include "alula/graph/function.h"
#include "alula/ops/all.h"
#include "alula/runtime/devices.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

using List = std::vector<Tensor>;

/// x * factor^count, by a loop with a counter.
Tensor power(const Tensor& x, const Tensor& factor, const Tensor& count) {
  return while_loop([&](const List& v) { return v[0] < count; },
                    [&](const List& v) { return List{v[0] + 1, v[1] * factor}; },
                    {Tensor(0), x})[1];
}

template <class F, class... T>
void compare(const F& f, const T&... inputs) {
  const auto compiled = function(f);
  for (int i = 0; i < 2; ++i) {
    const List expected = graph::as_tensors(f(inputs...));
    const List actual = graph::as_tensors(compiled(inputs...));
    ASSERT_EQ(expected.size(), actual.size());
    for (size_t k = 0; k < expected.size(); ++k)
      expect_equal(actual[k], to_array(expected[k]), expected[k].dtype());
  }
}

}  // namespace

TEST(WhileLoop, RunsAsOftenAsTheValuesSay) {
  const auto compiled = function(power);
  const Tensor x{1.f, 2.f}, factor{2.f, 0.5f};
  for (int count : {0, 1, 5, 20}) {
    const Array expected{{2}, {std::pow(2, count), 2 * std::pow(0.5, count)}};
    expect_equal(power(x, factor, Tensor(count)), expected, float32);
    expect_equal(compiled(x, factor, Tensor(count)), expected, float32);
  }
  EXPECT_EQ(compiled.trace_count(), 1u);
}

TEST(WhileLoop, OneVariable) {
  const auto f = [](const Tensor& x) {
    return while_loop([](const Tensor& x) { return x < 100; },
                      [](const Tensor& x) { return x * 3; }, x);
  };
  EXPECT_EQ(f(Tensor(1)).item<int>(), 243);
  EXPECT_EQ(function(f)(Tensor(1)).item<int>(), 243);
  EXPECT_EQ(function(f)(Tensor(1000)).item<int>(), 1000);
}

TEST(WhileLoop, StopsAtMaximumIterations) {
  const auto f = [](int64_t most) {
    return [most](const Tensor& x) {
      return while_loop([](const Tensor& x) { return x < 10; },
                        [](const Tensor& x) { return x + 1; }, x, {.maximum_iterations = most});
    };
  };
  for (int64_t most : {0, 1, 3, 100}) {
    const int expected = static_cast<int>(std::min<int64_t>(most, 10));
    EXPECT_EQ(f(most)(Tensor(0)).item<int>(), expected);
    EXPECT_EQ(function(f(most))(Tensor(0)).item<int>(), expected);
  }
}

TEST(WhileLoop, ALoopInABranchInALoop) {
  const auto f = [](const Tensor& x) {
    return while_loop([](const List& v) { return v[0] < 6; },
                      [&](const List& v) {
                        const Tensor next = cond(
                            v[0] % 2 == 0, [&] { return power(v[1], x, v[0]); },
                            [&] { return v[1] + cast(v[0], float32); });
                        return List{v[0] + 1, next};
                      },
                      {Tensor(0), Tensor(1.f)});
  };
  compare([&](const Tensor& x) { return f(x * 1.f); }, Tensor(0.75f));
  compare([&](const Tensor& x) { return f(x * 1.f); }, Tensor(-1.5f));
}

TEST(WhileLoop, ReadsAndAssignsVariables) {
  const auto run = [](bool compile) {
    Variable sum(Tensor(0.f)), step(Tensor(2.f)), never(Tensor(5.f));
    const auto f = [&](const Tensor& n) {
      sum.assign_add(Tensor(1.f));
      const List last = while_loop([&](const List& v) { return v[0] < n && sum < 100; },
                                   [&](const List& v) {
                                     cond(
                                         v[0] > 1, [&] { sum.assign_add(step * v[1]); },
                                         [&] { never.assign_add(Tensor(1.f)); });
                                     return List{v[0] + 1, v[1] * 1.5f + sum};
                                   },
                                   {Tensor(0), Tensor(1.f)});
      return last[1] + sum;
    };
    const auto compiled = function(f);
    std::vector<float> seen;
    for (int n : {0, 3, 1, 6}) {
      seen.push_back((compile ? compiled(Tensor(n)) : f(Tensor(n))).item<float>());
      for (const Variable& v : {sum, step, never}) seen.push_back(v.value().item<float>());
    }
    return seen;
  };
  EXPECT_EQ(run(true), run(false));
}

TEST(WhileLoop, DrawsAfreshAtEachStep) {
  const auto f = [](const Tensor& n) {
    const List result = while_loop([&](const List& v) { return v[0] < n; },
                                   [&](const List& v) {
                                     const Tensor drawn = random::uniform({2});
                                     return List{v[0] + 1, drawn, v[2] + alula::abs(drawn - v[1])};
                                   },
                                   {Tensor(0), zeros({2}), zeros({2})});
    return List{result[1], result[2], random::normal({2})};
  };
  const auto compiled = function(f);
  for (int n : {0, 1, 4}) {
    random::set_seed(n);
    const List expected = f(Tensor(n));
    random::set_seed(n);
    const List actual = compiled(Tensor(n));
    for (size_t k = 0; k < 3; ++k) expect_equal(actual[k], to_array(expected[k]), float32);
  }
  // The sum of the differences would be one draw alone if steps drew the same.
  const List result = compiled(Tensor(4));
  EXPECT_NE(result[0].to_vector<float>(), result[1].to_vector<float>());
}

TEST(WhileLoop, HostCodeRunsAtEachStep) {
  std::vector<float> seen;
  const auto f = function([&](const Tensor& x) {
    return while_loop([](const Tensor& v) { return v < 10; },
                      [&](const Tensor& v) {
                        const auto add_two = [&](const Tensor& value) {
                          seen.push_back(value.item<float>());
                          return value + 2;
                        };
                        return host_function(add_two, v * 1, {float32, {}}) + 1;
                      },
                      x);
  });
  EXPECT_EQ(f(Tensor(0.f)).item<float>(), 12);
  EXPECT_EQ(seen, (std::vector<float>{0, 3, 6, 9}));
}

TEST(WhileLoop, ShapesMayChangeIfItIsSaid) {
  const auto f = [](const Tensor& n) {
    return while_loop([&](const List& v) { return v[0] < n; },
                      [](const List& v) {
                        return List{v[0] + 1, concat({v[1], reshape(cast(v[0], float32), {1})}, 0)};
                      },
                      {Tensor(0), Tensor{7.f}}, {.shape_invariants = {{}, {kUnknown}}})[1];
  };
  const auto compiled = function(f);
  for (int n : {0, 3}) expect_equal(compiled(Tensor(n)), to_array(f(Tensor(n))), float32);
}

TEST(WhileLoop, WithoutAGradientMemoryDoesNotGrow) {
  constexpr int64_t kBytes = 4 << 16;
  int64_t most = 0;
  const auto look = [&](const Tensor& value) {
    most = std::max(most, memory::statistics().in_use);
    return value;
  };
  const auto f = [&](const Tensor& n) {
    return while_loop([&](const List& v) { return v[0] < n; },
                      [&](const List& v) {
                        return List{host_function(look, v[0], {int32, {}}) + 1, v[1] * 0.5f + 1};
                      },
                      {Tensor(0), zeros({kBytes / 4})})[1];
  };
  const auto compiled = function(f);
  const int64_t before = memory::statistics().in_use;
  expect_equal(reduce_max(compiled(Tensor(10000))), {{}, {2}}, float32);
  EXPECT_LE(most - before, 6 * kBytes) << "10,000 steps, none of them kept";
  const auto with_gradient = function([&](const Tensor& n) {
    GradientTape tape;
    const Tensor x = cast(n, float32);
    tape.watch(x);
    const Tensor y = while_loop([&](const List& v) { return v[0] < n; },
                                [&](const List& v) {
                                  return List{host_function(look, v[0], {int32, {}}) + 1,
                                              v[1] * v[1] * 0.01f + x};
                                },
                                {Tensor(0), zeros({kBytes / 4})})[1];
    return tape.gradient(y, x);
  });
  with_gradient(Tensor(40));
  EXPECT_GE(most - before, 39 * kBytes) << "with one, each is";
}

TEST(WhileLoop, Gradients) {
  Variable w(Tensor{0.5f, -1.25f});
  const auto gradients = [&](const Tensor& x, const Tensor& factor, const Tensor& n) {
    GradientTape tape;
    tape.watch(x);
    tape.watch(factor);
    const Tensor scaled = factor * 2;  // captured
    const List y = while_loop([&](const List& v) { return v[0] < n; },
                              [&](const List& v) {
                                return List{v[0] + 1, alula::tanh(v[1] * scaled + w),
                                            v[2] + reduce_sum(v[1] * w)};
                              },
                              {Tensor(0), x * x, reduce_sum(x)});
    return tape.gradient(reduce_sum(y[1]) * y[2], {x, factor, w},
                         {.unconnected_gradients = UnconnectedGradients::kZero});
  };
  const auto compiled = function(gradients);
  const Tensor x{0.75f, -0.5f}, factor{0.9f, 0.3f};
  for (int n : {0, 1, 2, 7, 1}) {
    const List expected = gradients(x, factor, Tensor(n)), actual = compiled(x, factor, Tensor(n));
    for (size_t i = 0; i < 3; ++i) expect_equal(actual[i], to_array(expected[i]), float32);
  }
  EXPECT_EQ(compiled.trace_count(), 1u);
}

TEST(WhileLoop, GradientsAreDifferences) {
  const auto f = [](const Tensor& x) {
    return while_loop(
        [](const List& v) { return reduce_max(v[0]) < 50; },
        [&](const List& v) { return List{v[0] * v[0] + x, v[1] + alula::sin(v[0] * x)}; },
        {x, x})[1];
  };
  const auto gradient = function([&](const Tensor& x) {
    GradientTape tape;
    tape.watch(x);
    return tape.gradient(f(x), x);
  });
  for (double value : {1.3, 0.9, 60.0}) {
    constexpr double kStep = 1e-6;
    const auto at = [&](double x) { return f(Tensor(x, float64)).item<double>(); };
    const double difference = (at(value + kStep) - at(value - kStep)) / (2 * kStep);
    EXPECT_NEAR(gradient(Tensor(value, float64)).item<double>(), difference,
                1e-5 * (1 + std::abs(difference)));
  }
}

TEST(WhileLoop, GradientsOfGradients) {
  const auto second = [](const Tensor& x, const Tensor& n) {
    GradientTape outer;
    outer.watch(x);
    GradientTape inner;
    inner.watch(x);
    const Tensor y = while_loop(
        [&](const List& v) { return v[0] < n; },
        [&](const List& v) { return List{v[0] + 1, alula::sin(v[1] * x) + v[1] * v[1] * 0.1}; },
        {Tensor(0), x})[1];
    const Tensor dx = inner.gradient(y, x);
    return List{dx, outer.gradient(dx * dx, x)};
  };
  const auto compiled = function(second);
  const Tensor x = constant({0.7, -1.1}, float64);
  for (int n : {1, 2, 5}) {
    const List expected = second(x, Tensor(n)), actual = compiled(x, Tensor(n));
    for (size_t i = 0; i < 2; ++i) expect_equal(actual[i], to_array(expected[i]), float64);
  }
}

TEST(WhileLoop, GradientsOfThirdOrderAreAnError) {
  const auto third = [](const Tensor& x) {
    GradientTape outermost;
    outermost.watch(x);
    GradientTape outer;
    outer.watch(x);
    GradientTape inner;
    inner.watch(x);
    const Tensor y = while_loop([&](const List& v) { return v[0] < 2; },
                                [&](const List& v) { return List{v[0] + 1, v[1] * v[1] * x}; },
                                {Tensor(0), x})[1];
    return outermost.gradient(outer.gradient(inner.gradient(y, x), x), x);
  };
  EXPECT_EQ(third(Tensor(1.f)).item<float>(), 7 * 6 * 5);  // y = x^7
  EXPECT_ERROR(function(third)(Tensor(1.f)), UnimplementedError,
               "while_loop: in a compiled function");
}

TEST(WhileLoop, GradientsSeeTheNumbersThatWereDrawn) {
  const auto f = [](const Tensor& x, const Tensor& n) {
    GradientTape tape;
    tape.watch(x);
    // Dropout in a branch in a loop.
    const Tensor y =
        while_loop([&](const List& v) { return v[0] < n; },
                   [&](const List& v) {
                     const Tensor next = cond(
                         v[0] % 2 == 0, [&] { return v[1] * (random::uniform({3}) + x); },
                         [&] { return v[1] + random::uniform({3}) * x; });
                     return List{v[0] + 1, next};
                   },
                   {Tensor(0), x})[1];
    return List{y, tape.gradient(y, x)};
  };
  const auto compiled = function(f);
  const Tensor x{1.f, 2.f, -1.f};
  for (int n : {0, 1, 6}) {
    random::set_seed(1);
    const List expected = f(x, Tensor(n));
    random::set_seed(1);
    const List actual = compiled(x, Tensor(n));
    for (size_t i = 0; i < 2; ++i) expect_equal(actual[i], to_array(expected[i]), float32);
  }
}

TEST(WhileLoop, GradientsOfLoopsInBranchesInLoops) {
  const auto f = [](const Tensor& x, const Tensor& n) {
    GradientTape tape({.persistent = true});
    tape.watch(x);
    const Tensor y = while_loop([&](const List& v) { return v[0] < n; },
                                [&](const List& v) {
                                  const Tensor next = cond(
                                      v[0] % 2 == 0, [&] { return power(v[1], x, v[0]); },
                                      [&] { return v[1] * v[1]; });
                                  return List{v[0] + 1, next};
                                },
                                {Tensor(0), x * 0.5f})[1];
    return List{y, tape.gradient(y, x), tape.gradient(y * y, x)};
  };
  const auto compiled = function(f);
  const Tensor x{1.1f, 0.9f, -1.05f};
  for (int n : {0, 1, 2, 5}) {
    const List expected = f(x, Tensor(n)), actual = compiled(x, Tensor(n));
    for (size_t i = 0; i < 3; ++i) expect_equal(actual[i], to_array(expected[i]), float32);
  }
}

TEST(WhileLoop, GradientsOfALoopOverConstants) {
  const auto f = function([](const Tensor& x) {
    const Tensor start(1.f);
    GradientTape tape;
    tape.watch(start);
    const Tensor y = while_loop([](const List& v) { return v[0] < 3; },
                                [&](const List& v) { return List{v[0] + 1, v[1] * v[1] * 2}; },
                                {Tensor(0), start})[1];
    // The loop can be computed when it is compiled, its gradient cannot.
    return tape.gradient(y, start, {.output_gradients = x * 1}) + 1;
  });
  // y = 2^7 start^8
  EXPECT_EQ(f(Tensor(1.f)).item<float>(), 1025);
  EXPECT_EQ(f(Tensor(-2.f)).item<float>(), -2047);
}

TEST(WhileLoop, NewtonsMethod) {
  // The root of x^3 = a, as a function of a: its derivative is a^(-2/3) / 3.
  const auto root = [](const Tensor& a) {
    return while_loop(
        [&](const List& v) { return reduce_max(alula::abs(v[0] * v[0] * v[0] - a)) > 1e-9; },
        [&](const List& v) { return List{v[0] - (v[0] * v[0] * v[0] - a) / (v[0] * v[0] * 3)}; },
        {ones_like(a)}, {.maximum_iterations = 100})[0];
  };
  const auto f = function([&](const Tensor& a) {
    GradientTape tape;
    tape.watch(a);
    const Tensor x = root(a);
    return List{x, tape.gradient(x, a)};
  });
  const List result = f(constant({2.0, 8.0, 27.0}, float64));
  expect_equal(result[0], {{3}, {std::cbrt(2.0), 2, 3}}, float64);
  expect_equal(result[1], {{3}, {1 / (3 * std::cbrt(4.0)), 1 / 12.0, 1 / 27.0}}, float64,
               {.relative = 1e-6});
}

TEST(WhileLoop, Errors) {
  const auto more = [](const List& v) { return v[0] < 10; };
  const auto same = [](const List& v) { return v; };
  const auto traced = [](const auto& condition, const auto& body, const List& variables) {
    function([&](const Tensor& x) {
      List all = variables;
      all[0] = x;
      return while_loop(condition, body, all);
    })(variables[0]);
  };
  const List start{Tensor(0), Tensor{1.f, 2.f}};
  EXPECT_ERROR(while_loop(more, same, List{}), InvalidArgumentError, "no loop variable");
  EXPECT_ERROR(while_loop(nullptr, same, start), InvalidArgumentError, "no function");
  EXPECT_ERROR(while_loop(more, same, start, {.maximum_iterations = -2}), InvalidArgumentError,
               "maximum_iterations cannot be negative");
  EXPECT_ERROR(while_loop(more, same, start, {.shape_invariants = {{}}}), InvalidArgumentError,
               "1 shape_invariants for 2 loop variables");
  EXPECT_ERROR(while_loop(more, same, start, {.shape_invariants = {{}, {3}}}), InvalidArgumentError,
               "does not fit");
  const auto wrong = [](const List& v) { return v[0]; };
  EXPECT_ERROR(while_loop(wrong, same, start), InvalidArgumentError,
               "while_loop: the condition must return a scalar bool. Got int32[].");
  EXPECT_ERROR(traced(wrong, same, start), InvalidArgumentError,
               "while_loop: the condition must return a scalar bool. Got int32[].");
  const auto fewer = [](const List& v) { return List{v[0] + 1}; };
  EXPECT_ERROR(while_loop(more, fewer, start), InvalidArgumentError,
               "the body returns 1 tensors. There must be 2");
  EXPECT_ERROR(traced(more, fewer, start), InvalidArgumentError,
               "the body returns 1 tensors. There must be 2");
  EXPECT_ERROR(traced(
                   more, [](const List& v) { return List{v[0] + 1, reduce_sum(v[1])}; }, start),
               InvalidArgumentError,
               "loop variable 1 is float32[2], but the body returns float32[] for it");
  EXPECT_ERROR(traced(
                   more, [](const List& v) { return List{cast(v[0], float32), v[1]}; }, start),
               InvalidArgumentError, "loop variable 0 is int32[], but the body returns float32[]");
  Variable v(Tensor(1));
  const auto assigns = [&](const List& in) {
    v.assign_add(Tensor(1));
    return in[0] < v;
  };
  EXPECT_ERROR(traced(assigns, same, start), UnimplementedError, "the condition assigns");
}
