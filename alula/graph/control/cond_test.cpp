#include "alula/graph/control/cond.h"

#include "alula/autograd/tape.h"
#include "alula/graph/function.h"
#include "alula/graph/vectorized_map.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// Compares a function with its compiled self, on both signs.
template <class F>
void compare(const F& f) {
  const auto compiled = function(f);
  for (float value : {2.f, -3.f, 0.5f}) {
    const Tensor x{value, 1.f, 2.f};
    expect_equal(compiled(x), to_array(f(x)), float32);
  }
  EXPECT_EQ(compiled.trace_count(), 1u);
}

Tensor is_positive(const Tensor& x) { return reduce_sum(x) > 0; }

}  // namespace

TEST(Cond, RunsTheBranchThatThePredicateSays) {
  const auto f = [](const Tensor& x) {
    return cond(is_positive(x), [&] { return x * 2; }, [&] { return alula::exp(x) - 1; });
  };
  expect_equal(f(Tensor{1.f, 2.f}), {{2}, {2, 4}}, float32);
  expect_equal(f(Tensor{-1.f, 0.f}), {{2}, {std::exp(-1.0) - 1, 0}}, float32);
  compare(f);
}

TEST(Cond, SeveralResultsAndNestedOnes) {
  const auto f = [](const Tensor& x) {
    const std::vector<Tensor> results = cond(
        is_positive(x),
        [&] {
          const Tensor inner =
              cond(reduce_max(x) > 2, [&] { return x + 10; }, [&] { return x + 20; });
          return std::vector<Tensor>{inner, x};
        },
        [&] { return std::vector<Tensor>{x, x * 3}; });
    return results[0] * 100 + results[1];
  };
  compare(f);
}

TEST(Cond, OnlyOneBranchRuns) {
  std::vector<int> ran;
  const auto note = [&](int which, const Tensor& x) {
    return host_function(
        [&ran, which](const Tensor& value) {
          ran.push_back(which);
          return value;
        },
        x, x.spec());
  };
  const auto f = function([&](const Tensor& x) {
    return cond(is_positive(x), [&] { return note(1, x) * 2; }, [&] { return note(2, x + 1); });
  });
  expect_equal(f(Tensor{1.f}), {{1}, {2}}, float32);
  expect_equal(f(Tensor{-1.f}), {{1}, {0}}, float32);
  f(Tensor{1.f});
  EXPECT_EQ(ran, (std::vector<int>{1, 2, 1}));
}

TEST(Cond, ReadsAndAssignsVariables) {
  const auto run = [](bool compile) {
    Variable v(Tensor(1.f)), w(Tensor(10.f)), other(Tensor(3.f));
    const auto f = [&](const Tensor& x) {
      v.assign_add(Tensor(1.f));
      const Tensor inside = cond(
          x > 0,
          [&] {
            v.assign(v * x + other);
            return v + 1;
          },
          [&] {
            w.assign_sub(x);
            return w.value();
          });
      cond(x > 1, [&] { w.assign_add(Tensor(100.f)); }, [] {});
      return std::vector<Tensor>{inside, v + w};
    };
    const auto compiled = function(f);
    std::vector<float> seen;
    for (float x : {2.f, -1.f, 0.5f, 3.f}) {
      for (const Tensor& result : compile ? compiled(Tensor(x)) : f(Tensor(x)))
        seen.push_back(result.item<float>());
      seen.push_back(v.value().item<float>());
      seen.push_back(w.value().item<float>());
    }
    return seen;
  };
  EXPECT_EQ(run(true), run(false));
}

TEST(Cond, AFailedRunChangesNothing) {
  Variable v(Tensor{1.f, 2.f});
  const auto f = function([&](const Tensor& x, const Tensor& index) {
    return cond(
        x > 0,
        [&] {
          v.assign(v * x);
          return gather(v.value(), index);
        },
        [&] { return cast(index, float32); });
  });
  EXPECT_ERROR(f(Tensor(2.f), Tensor{7}), InvalidArgumentError, "gather");
  expect_equal(v, {{2}, {1, 2}}, float32);
}

TEST(Cond, DrawsAsAnEagerCallDoes) {
  const auto f = [](const Tensor& x) {
    const Tensor before = random::uniform({3});
    const Tensor inside =
        cond(is_positive(x), [&] { return random::normal({3}) + x; }, [&] { return x; });
    return before + inside * random::uniform({3});
  };
  const auto compiled = function(f);
  for (float sign : {1.f, -1.f, 1.f}) {
    const Tensor x{sign, sign, sign};
    random::set_seed(7);
    const std::vector<float> first = f(x).to_vector<float>(), second = f(x).to_vector<float>();
    random::set_seed(7);
    EXPECT_EQ(compiled(x).to_vector<float>(), first);
    EXPECT_EQ(compiled(x).to_vector<float>(), second);
    EXPECT_NE(first, second);
  }
}

TEST(Cond, GradientsAreThoseOfTheBranchThatRan) {
  Variable w(Tensor{1.f, -2.f, 0.5f});
  const auto gradients = [&](const Tensor& x) {
    GradientTape tape;
    tape.watch(x);
    const Tensor squared = square(x);
    const std::vector<Tensor> y = cond(
        is_positive(x), [&] { return std::vector<Tensor>{alula::exp(squared * w * 0.1), x * 2}; },
        [&] { return std::vector<Tensor>{squared + x, w * x}; });
    return tape.gradient(reduce_sum(y[0] * y[1]), {x, w});
  };
  const auto compiled = function(gradients);
  for (float value : {2.f, -4.f}) {
    const Tensor x{value, 1.f, 0.25f};
    const std::vector<Tensor> expected = gradients(x), actual = compiled(x);
    for (size_t i = 0; i < 2; ++i) expect_equal(actual[i], to_array(expected[i]), float32);
  }
}

TEST(Cond, GradientsOfGradients) {
  const auto second = [](const Tensor& x) {
    GradientTape outer;
    outer.watch(x);
    GradientTape inner;
    inner.watch(x);
    const Tensor y =
        cond(is_positive(x), [&] { return x * x * x; }, [&] { return alula::exp(x * 2); });
    const Tensor dx = inner.gradient(y, x);
    return std::vector<Tensor>{dx, outer.gradient(dx, x)};
  };
  const auto compiled = function(second);
  for (double value : {1.5, -0.5}) {
    const Tensor x = constant({value, value / 2}, float64);
    const std::vector<Tensor> expected = second(x), actual = compiled(x);
    for (size_t i = 0; i < 2; ++i) expect_equal(actual[i], to_array(expected[i]), float64);
  }
}

TEST(Cond, GradientsSeeTheNumbersThatWereDrawn) {
  const auto f = [](const Tensor& x) {
    GradientTape tape({.persistent = true});
    tape.watch(x);
    const Tensor y =
        cond(is_positive(x), [&] { return random::uniform({4}) * x; }, [&] { return x * 1; });
    return std::vector<Tensor>{y / x, tape.gradient(y, x), tape.gradient(y * 2, x)};
  };
  const auto compiled = function(f);
  const std::vector<Tensor> results = compiled(Tensor{1.f, 2.f, 3.f, 4.f});
  expect_equal(results[1], to_array(results[0]), float32);
  EXPECT_NE(results[0].to_vector<float>(), (std::vector<float>{1, 1, 1, 1}));
}

TEST(Cond, TakesATensorThatATapeWatches) {
  const Tensor weight{2.f, 3.f};
  const auto f = function([&](const Tensor& x) {
    GradientTape tape;
    tape.watch(weight);
    const Tensor y = cond(is_positive(x), [&] { return weight * x * weight; }, [&] { return x; });
    return tape.gradient(y, weight);
  });
  expect_equal(f(Tensor{1.f, 1.f}), {{2}, {4, 6}}, float32);
  expect_equal(f(Tensor{-1.f, -1.f}), {{2}, {0, 0}}, float32);
}

TEST(Cond, ResultsMayDifferInSize) {
  const auto f = function([](const Tensor& x) {
    return cond(is_positive(x), [&] { return x; }, [&] { return concat({x, x}, 0); }) + 1;
  });
  expect_equal(f(Tensor{1.f}), {{1}, {2}}, float32);
  expect_equal(f(Tensor{-1.f}), {{2}, {0, 0}}, float32);
}

TEST(Cond, AKnownPredicateLeavesNothingBehind) {
  const auto f = function(
      [](const Tensor& x) { return cond(Tensor(true), [&] { return x * 2; }, [&] { return x; }); });
  EXPECT_EQ(f.get_concrete_function(Tensor(1.f)).str().find("cond"), std::string::npos);
}

TEST(Cond, IsANodeLikeAnyOther) {
  const auto count = [](const auto& f) {
    const std::string text = function(f).get_concrete_function(Tensor{1.f, 2.f}).str();
    size_t nodes = 0;
    for (size_t at = text.find("= cond("); at != std::string::npos;
         at = text.find("= cond(", at + 1))
      ++nodes;
    return nodes;
  };
  const auto choose = [](const Tensor& x) {
    return cond(is_positive(x), [&] { return x * 2; }, [&] { return x * 3; });
  };
  const auto draw = [](const Tensor& x) {
    return cond(is_positive(x), [&] { return x * random::uniform({2}); }, [&] { return x * 3; });
  };
  EXPECT_EQ(count([&](const Tensor& x) { return choose(x) + choose(x); }), 1u) << "the same twice";
  EXPECT_EQ(count([&](const Tensor& x) { return choose(x) + choose(x + 1); }), 2u);
  EXPECT_EQ(count([&](const Tensor& x) {
              choose(x);
              return x + 1;
            }),
            0u)
      << "nobody reads it";
  EXPECT_EQ(count([&](const Tensor& x) { return draw(x) + draw(x); }), 2u) << "each draws";
  EXPECT_EQ(count([&](const Tensor& x) {
              draw(x);
              return x + 1;
            }),
            1u)
      << "later numbers must not be others";
  // Branches are optimised, too: a chain of functions is one kernel.
  const auto chain = [](const Tensor& x) {
    return cond(is_positive(x), [&] { return alula::exp(x * 2 + 1); }, [&] { return x; });
  };
  compare(chain);
}

TEST(Cond, InAVectorizedMap) {
  const auto f = [](const Tensor& x) {
    return cond(x > 0, [&] { return x * 2; }, [&] { return x - 1; });
  };
  expect_equal(vectorized_map(f, Tensor{1.f, -1.f, 3.f}), {{3}, {2, -2, 6}}, float32);
}

TEST(Cond, Errors) {
  const auto one = [] { return Tensor(1.f); };
  EXPECT_ERROR(cond(Tensor(1), one, one), InvalidArgumentError,
               "cond: the predicate must be a scalar bool. Got int32[].");
  EXPECT_ERROR(cond(Tensor{true}, one, one), InvalidArgumentError, "Got bool[1]");
  EXPECT_ERROR(cond(Tensor(), one, one), InvalidArgumentError, "not defined");
  EXPECT_ERROR(cond(Tensor(true), nullptr, nullptr), InvalidArgumentError, "no function");
  const auto traced = [](const auto& then, const auto& otherwise) {
    function([&](const Tensor& x) { return cond(x > 0, then, otherwise); })(Tensor(1.f));
  };
  EXPECT_ERROR(traced(one, [] { return Tensor(1); }), InvalidArgumentError,
               "cond: result 0 is float32[] of true_fn, but int32[] of false_fn");
  EXPECT_ERROR(traced(one, [] { return Tensor{1.f}; }), InvalidArgumentError, "float32[1]");
  EXPECT_ERROR(traced([] { return std::vector<Tensor>(2, Tensor(1)); },
                      [] { return std::vector<Tensor>(1, Tensor(1)); }),
               InvalidArgumentError, "true_fn returns 2 tensors, but false_fn 1");
  // What a function throws arrives unchanged.
  EXPECT_ERROR(traced(one, []() -> Tensor { throw std::runtime_error("mine"); }),
               std::runtime_error, "mine");
}
