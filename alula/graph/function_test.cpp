#include "alula/graph/function.h"

#include <thread>

#include "alula/autograd/tape.h"
#include "alula/core/log.h"
#include "alula/ops/all.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

TEST(Function, IsTracedOnceASignature) {
  int calls = 0;
  const auto f = function([&](const Tensor& x) {
    ++calls;
    return x * 2 + 1;
  });
  for (float value : {1.f, 2.f, 3.f})
    expect_equal(f(Tensor{value, 0.f}), {{2}, {2 * value + 1.0, 1}}, float32);
  EXPECT_EQ(calls, 1);
  expect_equal(f(Tensor{1.f}), {{1}, {3}}, float32);
  expect_equal(f(Tensor{1, 2}), {{2}, {3, 5}}, int32);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(f.trace_count(), 3u);
}

TEST(Function, ReturnsWhatItGets) {
  const Tensor x = {{1.f, 2.f}, {3.f, 4.f}};
  const auto views = function([](const Tensor& a) {
    return std::vector<Tensor>{a, reshape(a, {4}), reshape(a + 1, {4}), zeros({2})};
  });
  const std::vector<Tensor> results = views(x);
  expect_equal(results[0], to_array(x), float32);
  expect_equal(results[1], {{4}, {1, 2, 3, 4}}, float32);
  expect_equal(results[2], {{4}, {2, 3, 4, 5}}, float32);
  expect_equal(results[3], {{2}, {0, 0}}, float32);
  expect_equal(views(x * 2)[2], {{4}, {3, 5, 7, 9}}, float32);
  expect_equal(results[2], {{4}, {2, 3, 4, 5}}, float32);  // a later run leaves it alone
}

TEST(Function, ChangesVariables) {
  Variable v(Tensor{1.f, 2.f});
  const Tensor before = v;
  const auto f = function([&](const Tensor& x) {
    v.assign_add(x);
    return reduce_sum(v);
  });
  EXPECT_EQ(f(Tensor{1.f, 1.f}).item<float>(), 5);
  EXPECT_EQ(f(Tensor{1.f, 1.f}).item<float>(), 7);
  expect_equal(v, {{2}, {3, 4}}, float32);
  expect_equal(before, {{2}, {1, 2}}, float32);
  v.assign(Tensor{0.f, 0.f});
  EXPECT_EQ(f(Tensor{1.f, 1.f}).item<float>(), 2);

  const auto silent = function([&](const Tensor& x) { v.assign_sub(x); });
  silent(Tensor{1.f, 2.f});
  expect_equal(v, {{2}, {0, -1}}, float32);
}

TEST(Function, WritesVariablesInPlaceUnlessSomebodyHoldsThem) {
  Variable v(random_tensor({float32, {4000}}));
  const auto f = function([&](const Tensor& x) { v.assign_add(x); });
  const Tensor one = ones({4000});
  f(one);
  const void* place = v.storage().data();
  f(one);
  EXPECT_EQ(v.storage().data(), place);
  const Tensor held = v;
  const Array kept = to_array(held);
  f(one);
  expect_equal(held, kept, float32);
  EXPECT_NE(v.storage().data(), place);
}

TEST(Function, ReturnsOldAndNewValues) {
  Variable v(random_tensor({float32, {3000}})), w(zeros({3000}));
  const Array old = to_array(v);
  const auto f = function([&](const Tensor& x) {
    const Tensor before = v;
    w.assign(before);
    v.assign_add(x);
    return std::vector<Tensor>{before, v.value()};
  });
  const std::vector<Tensor> results = f(ones({3000}));
  expect_equal(results[0], old, float32);
  expect_equal(w, old, float32);
  expect_equal(results[1] - 1, old, float32, {.relative = 1e-6});
  f(ones({3000}));
  expect_equal(results[0], old, float32);
  expect_equal(w + 1, to_array(v), float32, {.relative = 1e-6});
}

TEST(Function, VariablesMayTradePlaces) {
  Variable v(zeros({2000})), w(ones({2000}));
  const auto swap = function([&](const Tensor& x) {
    const Tensor old = v + x;
    v.assign(w + x);
    w.assign(old);
  });
  swap(zeros({2000}));
  expect_equal(v, to_array(ones({2000})), float32);
  expect_equal(w, to_array(zeros({2000})), float32);
}

TEST(Function, AFailedRunChangesNothing) {
  Variable v(Tensor(1.f)), w(Tensor{1.f, 2.f});
  const auto f = function([&](const Tensor& x, const Tensor& index) {
    v.assign_add(x);
    w.assign(w * x);
    return gather(w.value(), index);
  });
  f(Tensor(2.f), Tensor{1});
  EXPECT_EQ(v.value().item<float>(), 3);
  EXPECT_ERROR(f(Tensor(2.f), Tensor{7}), InvalidArgumentError, "gather");
  EXPECT_EQ(v.value().item<float>(), 3);
  expect_equal(w, {{2}, {2, 4}}, float32);
}

TEST(Function, TrainsAsEagerStepsDo) {
  Variable a(random_tensor({float32, {3, 4}})), b(a.value());
  const auto step = [](Variable& w, const Tensor& x) {
    GradientTape tape;
    const Tensor loss = reduce_mean(square(matmul(x, w) - 1));
    w.assign_sub(tape.gradient(loss, w) * 0.1);
    return loss;
  };
  const auto compiled = function([&](const Tensor& x) { return step(a, x); });
  for (int i = 0; i < 20; ++i) {
    const Tensor x = random_tensor({float32, {5, 3}});
    EXPECT_EQ(compiled(x).item<float>(), step(b, x).item<float>()) << i;
  }
  expect_equal(a, to_array(b), float32);
  EXPECT_EQ(compiled.trace_count(), 1u);
}

TEST(Function, DrawsNewRandomNumbersAtEveryCall) {
  const auto f = function([](const Tensor& x) { return x + random::uniform({3}); });
  const Tensor zero = zeros({3});
  random::set_seed(3);
  const std::vector<float> first = f(zero).to_vector<float>(), second = f(zero).to_vector<float>();
  EXPECT_NE(first, second);
  random::set_seed(3);  // the same numbers as eager calls draw
  EXPECT_EQ(random::uniform({3}).to_vector<float>(), first);
  EXPECT_EQ(random::uniform({3}).to_vector<float>(), second);
}

TEST(Function, InlinesOthers) {
  const auto inner = function([](const Tensor& x) { return x * 3; });
  const auto outer = function([&](const Tensor& x) { return inner(x) + 1; });
  EXPECT_EQ(outer(Tensor(2.f)).item<float>(), 7);
  EXPECT_EQ(outer.get_concrete_function(Tensor(2.f)).nodes.size(), 2u);  // all of it fused
}

TEST(Function, SaysOnceThatItIsTracedOften) {
  std::vector<std::string> said;
  const auto before =
      logging::set_handler([&](logging::Level, std::string_view text) { said.emplace_back(text); });
  const auto f = function([](const Tensor& x) { return x + 1; });
  for (int64_t n = 1; n < 10; ++n) f(zeros({n}));
  logging::set_handler(before);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("input 0 was float32[5] and is float32[6] now"), std::string::npos)
      << said[0];
}

TEST(Function, ServesSeveralThreads) {
  const auto f = function([](const Tensor& x) { return reduce_sum(relu(x * 2) + 1); });
  f(zeros({1000}));
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i)
        if (f(fill({1000}, static_cast<float>(t), float32)).item<float>() !=
            1000.f * (2.f * static_cast<float>(t) + 1))
          ++wrong;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Function, TakesNoUndefinedTensor) {
  const auto f = function([](const Tensor& x) { return x; });
  EXPECT_ERROR(f(Tensor()), InvalidArgumentError, "input 0 is not defined yet");
}

TEST(Function, ReturnsSeveralTensors) {
  const auto pair = function([](const Tensor& x) { return std::pair(x + 1, x * 2); });
  const auto [more, twice] = pair(Tensor{1.f, 2.f});
  expect_equal(more, {{2}, {2, 3}}, float32);
  expect_equal(twice, {{2}, {2, 4}}, float32);
  const auto tuple =
      function([](const Tensor& x) { return std::tuple(x, reduce_sum(x), x * 0 + 1); });
  EXPECT_EQ(std::get<1>(tuple(Tensor{1.f, 2.f})).item<float>(), 3);
  expect_equal(std::get<2>(tuple(Tensor{1.f, 2.f})), {{2}, {1, 1}}, float32);
}

TEST(Function, TakesAnyNumberOfTensors) {
  const auto sum = function([](const auto&... x) { return (x + ... + Tensor(0.f)); });
  EXPECT_EQ(sum(Tensor(1.f)).item<float>(), 1);
  EXPECT_EQ(sum(Tensor(1.f), Tensor(2.f)).item<float>(), 3);
  EXPECT_EQ(sum(Tensor(5.f), Tensor(2.f), Tensor(1.f)).item<float>(), 8);
  EXPECT_EQ(sum(Tensor(4.f)).item<float>(), 4);
  EXPECT_EQ(sum.trace_count(), 3u);
}

TEST(Function, DrawsInTheOrderOfTheCalls) {
  const auto numbers = [](const Tensor& x) {
    const Tensor first = random::uniform({3}), second = random::normal({3});
    const Tensor unused = random::uniform({2});
    return std::pair(second + x, first + x);  // not the order in which they were drawn
  };
  const auto f = function(numbers);
  for (int call = 0; call < 2; ++call) {
    random::set_seed(11);
    const auto [a, b] = f(zeros({3}));
    const std::vector<float> next = random::uniform({3}).to_vector<float>();
    random::set_seed(11);
    const auto [c, d] = numbers(zeros({3}));
    EXPECT_EQ(a.to_vector<float>(), c.to_vector<float>());
    EXPECT_EQ(b.to_vector<float>(), d.to_vector<float>());
    EXPECT_EQ(random::uniform({3}).to_vector<float>(), next);
  }
}
