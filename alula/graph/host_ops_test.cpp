#include "alula/autograd/tape.h"
#include "alula/core/log.h"
#include "alula/graph/function.h"
#include "alula/graph/vectorized_map.h"
#include "alula/ops/all.h"
#include "alula/runtime/devices.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// x + 1 by host code, noting each call.
Tensor plus_one(const Tensor& x, std::vector<float>& seen) {
  const auto f = [&seen](const Tensor& x) {
    seen.push_back(x.to_vector<float>()[0]);
    return x + 1;
  };
  return host_function(f, x, x.spec());
}

/// Its elements that are positive: how many is known only then.
Tensor positive(const Tensor& x) {
  const auto f = [](const Tensor& x) {
    std::vector<float> kept;
    for (float value : x.span<float>())
      if (value > 0) kept.push_back(value);
    return Tensor(kept);
  };
  return host_function(f, x, {float32, {kUnknown}});
}

std::vector<std::string> infos_of(const std::function<void()>& f) {
  std::vector<std::string> messages;
  const auto before = logging::set_handler(
      [&](logging::Level, std::string_view message) { messages.emplace_back(message); });
  logging::set_level(logging::Level::kInfo);
  f();
  logging::set_level(logging::Level::kWarning);
  logging::set_handler(before);
  return messages;
}

}  // namespace

TEST(HostOps, RunInTheMiddleOfAGraph) {
  std::vector<float> seen;
  const auto eager = [&](const Tensor& x) {
    const Tensor a = alula::exp(x) * 2;
    const Tensor b = plus_one(a, seen);                    // reads what kernels computed
    const Tensor c = plus_one(reshape(b * a, {4}), seen);  // and again, through a view
    return std::vector<Tensor>{reduce_sum(c) + x, a, plus_one(b, seen)};
  };
  const auto compiled = function(eager);
  for (float start : {0.f, 1.f, -1.f}) {
    const Tensor x = Tensor{{start, 0.5f}, {1.f, 2.f}};
    seen.clear();
    const std::vector<Tensor> expected = eager(x);
    const std::vector<float> order = seen;
    seen.clear();
    const std::vector<Tensor> actual = compiled(x);
    for (size_t i = 0; i < expected.size(); ++i)
      expect_equal(actual[i], to_array(expected[i]), float32);
    EXPECT_EQ(seen, order) << "effects happen in the order of an eager call";
  }
  EXPECT_EQ(compiled.trace_count(), 1u);
}

TEST(HostOps, EveryCallCounts) {
  std::vector<float> seen;
  const auto f = function([&](const Tensor& x) {
    plus_one(x, seen);  // nobody reads it
    const Tensor constant = plus_one(Tensor{5.f}, seen);
    return plus_one(x, seen) + plus_one(x, seen) + constant;
  });
  expect_equal(f(Tensor{1.f}), {{1}, {10}}, float32);
  EXPECT_EQ(seen, (std::vector<float>{1, 5, 1, 1})) << "neither merged, nor left out, nor folded";
  f(Tensor{2.f});
  EXPECT_EQ(seen, (std::vector<float>{1, 5, 1, 1, 2, 5, 2, 2}));

  int calls = 0;
  const auto silent = function([&](const Tensor& x) {
    const auto count = [&](const std::vector<Tensor>& in) {
      calls += in[0].item<int32_t>();
      return std::vector<Tensor>();
    };
    host_function(count, {x * 10}, {});
    return x;
  });
  silent(Tensor(1));
  silent(Tensor(2));
  EXPECT_EQ(calls, 30);
}

TEST(HostOps, AFailedRunChangesNothing) {
  Variable v(Tensor{1.f, 2.f}), counter(Tensor(0));
  bool fail_now = true;
  const auto f = function([&](const Tensor& x) {
    counter.assign_add(Tensor(1));
    v.assign_add(x);
    const auto check = [&](const Tensor& value) {
      if (fail_now) throw std::runtime_error("not now");
      return value;
    };
    const Tensor checked = host_function(check, alula::exp(v), x.spec());
    v.assign(checked * 2);
    return checked;
  });
  for (int i = 0; i < 2; ++i) {
    EXPECT_ERROR(f(Tensor{1.f, 1.f}), std::runtime_error, "not now");
    expect_equal(v, {{2}, {1, 2}}, float32);
    EXPECT_EQ(Tensor(counter).item<int32_t>(), 0);
  }
  fail_now = false;
  const Tensor result = f(Tensor{1.f, 1.f});
  expect_equal(result, {{2}, {std::exp(2.0), std::exp(3.0)}}, float32);
  expect_equal(v, {{2}, {2 * std::exp(2.0), 2 * std::exp(3.0)}}, float32);
  EXPECT_EQ(Tensor(counter).item<int32_t>(), 1);
}

TEST(HostOps, MayKeepWhatTheyGet) {
  Variable v(Tensor(std::vector<float>(1000, 1)));
  std::vector<Tensor> kept;
  const auto f = function([&](const Tensor& x) {
    const auto keep = [&](const std::vector<Tensor>& in) {
      kept.insert(kept.end(), in.begin(), in.end());
      return std::vector<Tensor>{Tensor(0)};
    };
    host_function(keep, {v, x + 1, reshape(v, {10, 100})}, {{int32, {}}});
    v.assign_add(x);
  });
  for (int i = 0; i < 3; ++i) f(Tensor(std::vector<float>(1000, static_cast<float>(i))));
  ASSERT_EQ(kept.size(), 9u);
  for (const auto& [i, value] : std::vector<std::pair<size_t, float>>{
           {0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 2}, {6, 2}, {7, 3}})
    EXPECT_EQ(kept[i].to_vector<float>()[999], value) << i;
  EXPECT_EQ(Tensor(v).to_vector<float>()[0], 4);
}

TEST(HostOps, AComputedValueCanBeShuffled) {
  const auto eager = [](const Tensor& x) {
    const Tensor mixed = random::shuffle(x * 2);
    return std::vector<Tensor>{mixed, random::uniform({3}), mixed + random::shuffle(mixed + 1)};
  };
  const auto compiled = function(eager);
  const Tensor x = range(0, 100, 1, float32);
  for (int i = 0; i < 3; ++i) {
    random::set_seed(i);
    const std::vector<Tensor> expected = eager(x);
    random::set_seed(i);
    const std::vector<Tensor> actual = compiled(x);
    for (size_t k = 0; k < expected.size(); ++k)
      expect_equal(actual[k], to_array(expected[k]), float32);
  }
}

TEST(HostOps, RandomNumbersMayBeAssigned) {
  Variable v(Tensor{0.f, 0.f, 0.f});
  const auto eager = [&] { v.assign(random::uniform({3})); };
  const auto compiled = function(eager);
  random::set_seed(3);
  eager();
  const Array expected = to_array(v);
  random::set_seed(3);
  v.assign(Tensor{0.f, 0.f, 0.f});
  compiled();
  expect_equal(v, expected, float32);
}

TEST(HostOps, StringsMayBeMovedAboutInAGraph) {
  const auto eager = [](const Tensor& words) {
    const Tensor twice = concat({words, words}, 0);
    const Tensor longer = host_function(
        [](const Tensor& x) {
          std::vector<std::string> texts = x.to_vector<std::string>();
          for (std::string& text : texts) text += " and a text that is too long to be kept inside";
          return Tensor(texts, x.shape());
        },
        reverse(twice, {0}), twice.spec());
    return std::vector<Tensor>{twice, gather(longer, {0, 3}), stack({longer, twice})};
  };
  const auto compiled = function(eager);
  const Tensor words = {"one", "a longer word than fits into the string itself"};
  const std::vector<Tensor> expected = eager(words);
  for (int i = 0; i < 2; ++i) {
    const std::vector<Tensor> actual = compiled(words);
    for (size_t k = 0; k < expected.size(); ++k) {
      EXPECT_EQ(actual[k].spec(), expected[k].spec());
      EXPECT_EQ(actual[k].to_vector<std::string>(), expected[k].to_vector<std::string>());
    }
  }
}

TEST(HostOps, InAScopeOfAnotherDevice) {
  test_devices();
  std::vector<float> seen;
  const auto f = function([&](const Tensor& x) { return plus_one(x * 2, seen) * 3; });
  const auto scope = device("/SIM:0");
  expect_equal(f(Tensor{1.f}), {{1}, {9}}, float32);
  const Tensor eager = plus_one(Tensor{1.f}, seen);
  EXPECT_EQ(to_string(eager.device()), "/SIM:0");
}

TEST(HostOps, ComputeOnTheCpuWhateverTheScope) {
  test_devices();
  Device inside;
  const auto twice = [&inside](const Tensor& x) {
    const Tensor y = x * 2;
    inside = y.device();
    return y;
  };
  const auto scope = device("/SIM:0");
  const Tensor y = host_function(twice, Tensor{1.f}, {float32, {1}});
  EXPECT_EQ(to_string(inside), "/CPU:0");
  EXPECT_EQ(to_string(y.device()), "/SIM:0");
}

TEST(HostOps, ManyAtOnce) {
  std::vector<float> seen;
  const Tensor x = {1.f, 2.f, 3.f};
  const Tensor y =
      vectorized_map([&](const Tensor& x) { return plus_one(reshape(x * 2, {1}), seen); }, x);
  expect_equal(y, {{3, 1}, {3, 5, 7}}, float32);
  EXPECT_EQ(seen, (std::vector<float>{2, 4, 6}));
  seen.clear();
  vectorized_map([&](const Tensor& x) { return plus_one(Tensor{7.f}, seen) + x; }, x);
  EXPECT_EQ(seen, (std::vector<float>{7, 7, 7})) << "once an element, though all are the same";
}

TEST(HostOps, ShapesKnownOnlyThenRunOpByOp) {
  Variable sum(Tensor(0.f));
  int traced = 0;
  const auto eager = [&](const Tensor& x) {
    ++traced;
    const Tensor kept = positive(x - 1);
    sum.assign_add(reduce_sum(kept));
    return kept * 2 + random::uniform({});
  };
  const auto compiled = function(eager);
  random::set_seed(1);
  const Tensor expected = eager(Tensor{1.f, 3.f, 5.f});
  random::set_seed(1);
  const std::vector<std::string> messages = infos_of([&] {
    expect_equal(compiled(Tensor{1.f, 3.f, 5.f}), to_array(expected), float32);
    EXPECT_EQ(compiled(Tensor{0.f, 0.f, 0.f}).size(), 0);
  });
  EXPECT_EQ(messages.size(), 1u) << "said once a trace";
  EXPECT_NE(messages.at(0).find("runs op by op"), std::string::npos);
  EXPECT_EQ(traced, 2);
  EXPECT_EQ(Tensor(sum).item<float>(), 12);
}

TEST(HostOps, StringOpsAreCompiled) {
  const auto eager = [](const Tensor& lines) {
    const Tensor clean = strings::lower(strings::regex_replace(lines, "[^a-zA-Z ]", ""));
    return std::vector<Tensor>{clean, strings::length(clean) * 2, clean == "hello world"};
  };
  const auto compiled = function(eager);
  const Tensor lines = {"Hello, World!", "a 1 b"};
  const std::vector<Tensor> results = compiled(lines);
  EXPECT_EQ(results[0].to_vector<std::string>(), (std::vector<std::string>{"hello world", "a  b"}));
  expect_equal(results[1], {{2}, {22, 8}}, int32);
  expect_equal(results[2], {{2}, {1, 0}}, boolean);

  const auto words =
      function([](const Tensor& line) { return strings::to_number(strings::split(line, ",")); });
  expect_equal(words(Tensor("1,2.5")), {{2}, {1, 2.5}}, float32);
  expect_equal(words(Tensor("1,2.5,-3")), {{3}, {1, 2.5, -3}}, float32);
  EXPECT_EQ(words.trace_count(), 1u);
}

TEST(HostOps, HaveNoGradient) {
  const Tensor x(2.0f);
  GradientTape tape;
  tape.watch(x);
  const Tensor y = host_function([](const Tensor& x) { return x * x; }, x, {float32, {}}) * x +
                   host_function([](const Tensor& x) { return x; }, x, {float32, {}});
  EXPECT_EQ(y.item<float>(), 10);
  EXPECT_EQ(tape.gradient(y, x).item<float>(), 4);  // of the factor x alone
}
