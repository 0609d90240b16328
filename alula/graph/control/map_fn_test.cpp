#include "alula/graph/control/map_fn.h"

#include "alula/autograd/tape.h"
#include "alula/graph/control/cond.h"
#include "alula/graph/control/while_loop.h"
#include "alula/graph/function.h"
#include "alula/graph/vectorized_map.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

using List = std::vector<Tensor>;

/// Compares a function's results with those of its compiled self.
template <class F, class... T>
void compare(const F& f, const T&... inputs) {
  const auto compiled = function(f);
  for (int i = 0; i < 2; ++i) {
    random::set_seed(i);
    const List expected = graph::as_tensors(f(inputs...));
    random::set_seed(i);
    const List actual = graph::as_tensors(compiled(inputs...));
    ASSERT_EQ(expected.size(), actual.size());
    for (size_t k = 0; k < expected.size(); ++k)
      expect_equal(actual[k], to_array(expected[k]), expected[k].dtype());
  }
}

}  // namespace

TEST(MapFn, CallsTheFunctionForEachElement) {
  const auto largest = [](const Tensor& row) { return reduce_max(row); };
  const auto f = [&](const Tensor& x) { return map_fn(largest, x); };
  const Tensor x{{1, 3}, {5, 4}, {-1, -2}};
  expect_equal(f(x), {{3}, {3, 5, -1}}, int32);
  compare(f, x);
  const auto g = [](const Tensor& x, const Tensor& y) {
    return map_fn([&](const List& in) { return List{in[0] * in[1] + reduce_sum(y), in[0] > 1}; },
                  {x, y});
  };
  compare(g, Tensor{{1.f, 2.f}, {3.f, 4.f}}, Tensor{10.f, 20.f});
}

TEST(MapFn, OfNoElements) {
  const auto f = [](const Tensor& x) {
    return map_fn([](const Tensor& row) { return concat({row, row}, 0) > 0; }, x);
  };
  const Tensor none = zeros({0, 3});
  expect_equal(f(none), {{0, 6}, {}}, boolean);
  expect_equal(function(f)(none), {{0, 6}, {}}, boolean);
}

TEST(MapFn, Strings) {
  const auto f = [](const Tensor& x) {
    return map_fn([](const Tensor& word) { return strings::join({word, Tensor("!")}); }, x);
  };
  const Tensor words{"a", "bc", "a long one that is not kept inside of the string"};
  EXPECT_EQ(function(f)(words).to_vector<std::string>(), f(words).to_vector<std::string>());
}

TEST(MapFn, DrawsAndCountsForEachElement) {
  const auto run = [](bool compile) {
    Variable count(Tensor(0));
    const auto f = [&](const Tensor& x) {
      return map_fn(
          [&](const Tensor& row) {
            count.assign_add(Tensor(1));
            return row + random::uniform({2}) + cast(count, float32);
          },
          x);
    };
    random::set_seed(5);
    const Tensor x = zeros({3, 2});
    std::vector<float> seen = (compile ? function(f)(x) : f(x)).to_vector<float>();
    seen.push_back(static_cast<float>(count.value().item<int>()));
    return seen;
  };
  EXPECT_EQ(run(true), run(false));
}

TEST(MapFn, Gradients) {
  Variable w(Tensor{{1.f, 2.f}, {-1.f, 0.5f}});
  const auto f = [&](const Tensor& x, const Tensor& scale) {
    GradientTape tape({.persistent = true});
    tape.watch(x);
    tape.watch(scale);
    const Tensor y = map_fn(
        [&](const Tensor& row) {
          const Tensor turned = reshape(matmul(reshape(row, {1, 2}), w), {2}) * scale;
          return cond(
              reduce_sum(row) > 0, [&] { return alula::tanh(turned); },
              [&] { return turned * random::uniform({2}); });
        },
        x);
    List results = tape.gradient(y, {x, scale, w});
    const List others = tape.gradient(reduce_sum(y * y), {x, scale, w});
    results.insert(results.end(), others.begin(), others.end());
    return results;
  };
  compare(f, Tensor{{1.f, 2.f}, {-3.f, 1.f}, {0.5f, 0.25f}}, Tensor(0.5f));
}

TEST(MapFn, GradientsOfGradients) {
  const auto f = [](const Tensor& x, const Tensor& scale) {
    GradientTape outer;
    outer.watch(x);
    outer.watch(scale);
    GradientTape inner;
    inner.watch(x);
    const Tensor y = map_fn([&](const Tensor& row) { return alula::exp(row * scale) * row; }, x);
    const Tensor dx = inner.gradient(y, x);
    return outer.gradient(reduce_sum(dx * dx), {x, scale});
  };
  compare(f, constant({{0.5, 1.0}, {-0.25, 0.75}}, float64), constant(0.3, float64));
}

TEST(MapFn, ALoopForEachElement) {
  const auto f = [](const Tensor& x, const Tensor& n) {
    GradientTape tape;
    tape.watch(x);
    const Tensor y = map_fn(
        [&](const List& in) {
          return List{while_loop(
              [&](const List& v) { return v[0] < in[1]; },
              [&](const List& v) { return List{v[0] + 1, v[1] * in[0] + random::uniform({})}; },
              {Tensor(0), in[0]})[1]};
        },
        {x, n})[0];
    return List{y, tape.gradient(y, x)};
  };
  compare(f, Tensor{0.5f, 1.5f, -1.f, 2.f}, Tensor{3, 0, 1, 4});
}

TEST(MapFn, ControlFlowInAVectorizedMapIsOneNode) {
  const auto f = [](const Tensor& x, const Tensor& n, const Tensor& shared) {
    return vectorized_map(
        [&](const Tensor& x, const Tensor& n) {
          GradientTape tape;
          tape.watch(x);
          const Tensor y =
              while_loop([&](const List& v) { return v[0] < n; },
                         [&](const List& v) { return List{v[0] + 1, v[1] * v[1] * shared}; },
                         {Tensor(0), x})[1];
          return tape.gradient(y, x);
        },
        x, n);
  };
  const Tensor x{2.f, 3.f, 0.5f}, n{2, 0, 1}, shared(0.5f);
  // y = x^4 / 8, x, x^2 / 2
  expect_equal(f(x, n, shared), {{3}, {4, 1, 0.5}}, float32);
  compare(f, x, n, shared);
  const std::string text = function(f).get_concrete_function(x, n, shared).str();
  size_t loops = 0;
  for (size_t at = text.find("= while_loop"); at != std::string::npos;
       at = text.find("= while_loop", at + 1))
    ++loops;
  EXPECT_LE(loops, 6u) << text;
}

TEST(MapFn, Errors) {
  const auto same = [](const Tensor& x) { return x; };
  const auto first = [](const List& in) { return in; };
  EXPECT_ERROR(map_fn(first, List{}), InvalidArgumentError, "map_fn: there is no tensor");
  EXPECT_ERROR(map_fn(same, Tensor(1)), InvalidArgumentError, "map_fn: a scalar has no elements");
  EXPECT_ERROR(map_fn(same, Tensor()), InvalidArgumentError, "not defined");
  EXPECT_ERROR(map_fn(first, List{Tensor{1, 2}, Tensor{1}}), InvalidArgumentError,
               "the numbers of elements differ, 2 and 1");
  EXPECT_ERROR(map_fn(nullptr, List{Tensor{1}}), InvalidArgumentError, "no function");
  int calls = 0;
  EXPECT_ERROR(
      map_fn([&](const Tensor& x) { return ++calls == 1 ? x : cast(x, float32); }, Tensor{1, 2}),
      InvalidArgumentError, "result 0 must be the same for all elements");
}
