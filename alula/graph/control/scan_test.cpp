#include "alula/graph/control/scan.h"

#include "alula/autograd/tape.h"
#include "alula/graph/function.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

using List = std::vector<Tensor>;

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

TEST(Scan, AccumulatesFromEitherEnd) {
  const auto add = [](const Tensor& a, const Tensor& x) { return a * 2 + x; };
  const Tensor x{1, 2, 3}, start(10);
  const auto scanned = [&](bool reverse) {
    return [&, reverse](const Tensor& x, const Tensor& start) {
      return scan(add, x, start, {.reverse = reverse});
    };
  };
  expect_equal(scanned(false)(x, start), {{3}, {21, 44, 91}}, int32);
  expect_equal(scanned(true)(x, start), {{3}, {97, 48, 23}}, int32);
  compare(scanned(false), x, start);
  compare(scanned(true), x, start);
  const auto from_first = [&](bool reverse) {
    return [&, reverse](const Tensor& x) { return scan(add, x, {}, {.reverse = reverse}); };
  };
  expect_equal(from_first(false)(x), {{3}, {1, 4, 11}}, int32);
  expect_equal(from_first(true)(x), {{3}, {17, 8, 3}}, int32);
  compare(from_first(false), x);
  compare(from_first(true), x);
  compare(from_first(true), Tensor{5});
}

TEST(Scan, OfNoElements) {
  const auto f = [](const Tensor& x, const Tensor& start) {
    return scan([](const Tensor& a, const Tensor& x) { return a + x; }, x, start);
  };
  expect_equal(f(zeros({0, 2}), zeros({2})), {{0, 2}, {}}, float32);
  expect_equal(function(f)(zeros({0, 2}), zeros({2})), {{0, 2}, {}}, float32);
}

TEST(Scan, ARecurrentLayerWithItsGradients) {
  Variable kernel(random_tensor({float32, {3, 4}})), recurrent(random_tensor({float32, {4, 4}}));
  const auto f = [&](const Tensor& x, const Tensor& start) {
    GradientTape tape({.persistent = true});
    tape.watch(x);
    tape.watch(start);
    const ScanFunction step = [&](const List& state, const List& in) {
      return List{alula::tanh(matmul(in[0], kernel) + matmul(state[0], recurrent)), state[1] + 1};
    };
    const List h = scan(step, {x}, {start, Tensor(0)});
    List results = tape.gradient(reduce_mean(square(h[0])), {x, start, kernel, recurrent});
    results.push_back(h[0]);
    results.push_back(h[1]);
    return results;
  };
  compare(f, random_tensor({float32, {5, 2, 3}}), random_tensor({float32, {2, 4}}));
}

TEST(Scan, GradientsInReverseAndWithRandomNumbers) {
  const auto f = [](const Tensor& x) {
    GradientTape tape;
    tape.watch(x);
    const Tensor y =
        scan([](const Tensor& a, const Tensor& x) { return a * x * (random::uniform({2}) + 0.5f); },
             x, {}, {.reverse = true});
    return List{y, tape.gradient(y, x)};
  };
  compare(f, Tensor{{1.f, 2.f}, {3.f, -1.f}, {0.5f, 2.f}});
}

TEST(Scan, GradientsOfGradients) {
  const auto f = [](const Tensor& x, const Tensor& w) {
    GradientTape outer;
    outer.watch(x);
    outer.watch(w);
    GradientTape inner;
    inner.watch(x);
    const Tensor y =
        scan([&](const Tensor& a, const Tensor& x) { return alula::sin(a * w) + x * x * a; }, x, w);
    const Tensor dx = inner.gradient(y, x);
    return outer.gradient(reduce_sum(dx * dx), {x, w});
  };
  compare(f, constant({0.5, 1.0, -0.25, 0.75}, float64), constant(0.3, float64));
}

TEST(Scan, Errors) {
  const auto add = [](const Tensor& a, const Tensor& x) { return a + x; };
  const ScanFunction none = [](const List&, const List&) { return List{}; };
  EXPECT_ERROR(scan(add, zeros({0})), InvalidArgumentError, "at least one element");
  EXPECT_ERROR(scan(add, Tensor(1)), InvalidArgumentError, "scan: a scalar has no elements");
  EXPECT_ERROR(scan(ScanFunction(), List{Tensor{1}}), InvalidArgumentError, "no function");
  EXPECT_ERROR(scan(none, List{Tensor{1}}, List{Tensor()}), InvalidArgumentError, "not defined");
  EXPECT_ERROR(scan(none, List{Tensor{1}}, List{Tensor(1)}), InvalidArgumentError,
               "the function returns 0 tensors. There must be 1, one an accumulator");
  const auto wrong = [](const Tensor&, const Tensor& x) { return cast(x, float32); };
  const char* text = "accumulator 0 is int32[], but the function returns float32[] for it";
  EXPECT_ERROR(scan(wrong, Tensor{1, 2}, Tensor(1)), InvalidArgumentError, text);
  const auto traced = function([&](const Tensor& x) { return scan(wrong, x, Tensor(1)); });
  EXPECT_ERROR(traced(Tensor{1, 2}), InvalidArgumentError, text);
}
