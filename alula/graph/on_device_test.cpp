// Compiled functions on another device: the simulated one.
#include "alula/graph/on_device.h"

#include "alula/autograd/tape.h"
#include "alula/graph/control/while_loop.h"
#include "alula/graph/function.h"
#include "alula/ops/all.h"
#include "alula/ops/host_function.h"
#include "alula/runtime/devices.h"
#include "alula/testing/harness.h"
#include "alula/testing/simulated_device.h"

using namespace alula;
using namespace alula::testing;

namespace {

class OnDevice : public ::testing::Test {
 protected:
  const Device sim_ = sim();
};

}  // namespace

TEST_F(OnDevice, RunsWhereTheScopeSays) {
  const auto f = function([](const Tensor& x) { return relu(x * 2.f) + 1.f; });
  const Tensor x{-1.f, 2.f};
  const DeviceScope scope(sim_);
  for (int i = 0; i < 3; ++i) {
    const Tensor y = f(x);
    EXPECT_EQ(y.device(), sim_);
    expect_equal(y, Array({2}, {1, 5}), float32);
  }
}

TEST_F(OnDevice, RunsWhereItsInputsAre) {
  const auto f = function([](const Tensor& x) { return x * x; });
  EXPECT_EQ(f(Tensor{3.f}.to(sim_)).device(), sim_);
  EXPECT_EQ(f(Tensor{3.f}).device(), kCPU);
  EXPECT_EQ(f.trace_count(), 1u);
}

TEST_F(OnDevice, InputsThatMoveAreCopied) {
  const auto f = function([](const Tensor& x) { return x + 1.f; });
  std::vector<Tensor> kept;
  for (int i = 0; i < 5; ++i) {
    kept.push_back(Tensor{static_cast<float>(i)}.to(sim_));
    expect_equal(f(kept.back()), Array({1}, {i + 1.0}), float32);
  }
}

TEST_F(OnDevice, ResultsThatAreHeldAreNotOverwritten) {
  const auto f = function([](const Tensor& x) { return x + 1.f; });
  const DeviceScope scope(sim_);
  std::vector<Tensor> results;
  for (int i = 0; i < 5; ++i) results.push_back(f(Tensor{static_cast<float>(i)}));
  for (int i = 0; i < 5; ++i) expect_equal(results[i], Array({1}, {i + 1.0}), float32);
}

TEST_F(OnDevice, VariablesMoveThereAndAreWrittenInPlace) {
  const Variable count(Tensor{0.f, 10.f});
  const auto f = function([&](const Tensor& x) {
    Variable(count).assign_add(x);
    return count.value() * 2.f;
  });
  {
    const DeviceScope scope(sim_);
    f(Tensor{1.f, 1.f});
    expect_equal(f(Tensor{1.f, 1.f}), Array({2}, {4, 24}), float32);
    EXPECT_EQ(count.device(), sim_);
  }
  const Tensor before = count.value();
  const DeviceScope scope(sim_);
  f(Tensor{5.f, 5.f});
  expect_equal(before, Array({2}, {2, 12}), float32);  // what somebody holds stays as it was
  expect_equal(count.value(), Array({2}, {7, 17}), float32);
}

TEST_F(OnDevice, OldValuesOfVariablesAreKept) {
  const DeviceScope scope(sim_);
  Variable v(Tensor{1.f, 2.f}), w(Tensor{0.f, 0.f});
  const auto f = function([&](const Tensor& x) {
    const Tensor before = v;
    w.assign(before);
    v.assign_add(x);
    return std::vector<Tensor>{before, v.value()};
  });
  const auto first = f(ones({2})), second = f(ones({2}));
  expect_equal(first[0], Array({2}, {1, 2}), float32);
  expect_equal(first[1], Array({2}, {2, 3}), float32);
  expect_equal(second[0], Array({2}, {2, 3}), float32);
  expect_equal(w, Array({2}, {2, 3}), float32);
  expect_equal(v, Array({2}, {3, 4}), float32);
}

TEST_F(OnDevice, LoopsHaveTheirGradients) {
  const DeviceScope scope(sim_);
  const auto gradient = [](const Tensor& x) {
    GradientTape tape;
    tape.watch(x);
    const std::vector<Tensor> y = while_loop(
        [](const std::vector<Tensor>& v) { return v[0] < 3; },
        [&](const std::vector<Tensor>& v) { return std::vector<Tensor>{v[0] + 1, v[1] * x}; },
        {Tensor(0), x});
    return tape.gradient(y[1], x);
  };
  const Tensor x{2.f};  // of its fourth power
  expect_equal(gradient(x), Array({1}, {32}), float32);
  expect_equal(function(gradient)(x), Array({1}, {32}), float32);
}

TEST_F(OnDevice, StringsAmongItsConstantsStayOnTheHost) {
  const DeviceScope scope(sim_);
  const auto f = function(
      [](const Tensor& x) { return std::vector<Tensor>{strings::upper(Tensor("a")), x + 1.f}; });
  const std::vector<Tensor> results = f(Tensor{1.f});
  EXPECT_EQ(results[0].item<std::string>(), "A");
  expect_equal(results[1], Array({1}, {2}), float32);
}

TEST_F(OnDevice, CountersOfTheHostStayThere) {
  const Variable steps(Tensor(int64_t{0})), total(Tensor(0.f));
  const Spec number{float32, {}};
  const auto f = function([&](const Tensor& x) {
    const Tensor rate = host_tensors({&number, 1}, [&]() -> std::vector<Tensor> {
      return {Tensor(1.f / static_cast<float>(steps.value().item<int64_t>() + 1))};
    })[0];
    Variable(total).assign_add(x * rate);
    Variable(steps).assign_add(Tensor(int64_t{1}));
    return total.value();
  });
  const DeviceScope scope(sim_);
  const Tensor one(1.f);
  f(one);
  EXPECT_EQ(steps.device(), kCPU);
  EXPECT_EQ(total.device(), sim_);
  EXPECT_NEAR(f(one).item<float>(), 1.5, 1e-6);
  EXPECT_EQ(steps.value().item<int64_t>(), 2);
}

TEST_F(OnDevice, ManyRunsInARowAreAsManySingleOnes) {
  for (int64_t times : {1, 2, 7, 40}) {
    random::set_seed(3);
    const Variable once(Tensor{0.f, 0.f}), row(Tensor{0.f, 0.f});
    const auto body = [](Variable target) {
      return [target](const std::vector<Tensor>& inputs) mutable -> std::vector<Tensor> {
        target.assign(target.value() * 0.9f + inputs[0] * random::uniform({2}));
        return {target.value()};
      };
    };
    const Tensor x = Tensor{1.f, 2.f}.to(sim_);
    const Tensor* refs[] = {&x};
    graph::Compiled single(graph::trace(body(once), std::vector<Spec>{x.spec()}), {}, sim_);
    for (int64_t i = 0; i < times; ++i) single.run(TensorRefs(refs));
    random::set_seed(3);
    graph::Compiled many(graph::trace(body(row), std::vector<Spec>{x.spec()}), {}, sim_);
    EXPECT_TRUE(many.gains_by_repeating());
    many.run_times(TensorRefs(refs), times);
    expect_equal(row.value(), to_array(once.value()), float32);
  }
}

TEST_F(OnDevice, GivesTheFirstOutputOfEachRun) {
  Variable count(Tensor(0.f));
  const auto body = [&](const std::vector<Tensor>& inputs) -> std::vector<Tensor> {
    count.assign(count.value() + inputs[0]);
    return {count.value() * 10.f, inputs[0] + 1.f};
  };
  const Tensor x = Tensor(1.f).to(sim_);
  const Tensor* refs[] = {&x};
  graph::Compiled compiled(graph::trace(body, std::vector<Spec>{x.spec()}), {}, sim_);
  float expected = 0;
  for (int64_t times : {1, 7, 140}) {
    std::vector<Tensor> firsts;
    const Tensors last = compiled.run_times(TensorRefs(refs), times, &firsts);
    for (const Tensor& some : firsts) {
      const Tensor rows = some.cpu();
      const int64_t count = rows.shape()[0], width = rows.shape()[1];
      for (int64_t i = 0; i < count; ++i) {
        expected += 10;
        EXPECT_EQ(rows.span<float>()[static_cast<size_t>(i * width)], expected);
      }
    }
    EXPECT_EQ(last[0].item<float>(), expected);
    EXPECT_EQ(expected, 10 * count.value().item<float>());
  }
}

TEST_F(OnDevice, InputsAreLetGoOfAndMayMoveAfterSomeTime) {
  const auto f = function([](const Tensor& x) { return reduce_sum(x); });
  const auto before = backend_of(sim_).memory().in_use;
  for (int round = 0; round < 3; ++round) {
    const Tensor large = ones({1 << 16}).to(sim_), other = ones({1 << 16}).to(sim_);
    const auto copies = simulated::statistics(sim_).copies_within;
    for (int i = 0; i < 20; ++i) EXPECT_EQ(f(round == 1 ? other : large).item<float>(), 1 << 16);
    EXPECT_EQ(simulated::statistics(sim_).copies_within, copies) << round;
  }
  EXPECT_LT(backend_of(sim_).memory().in_use - before, 1 << 17);
}

TEST_F(OnDevice, HostCodeBetweenKernels) {
  const auto f = function([](const Tensor& x) {
    const Tensor doubled = x * 2.f;
    const Tensor from_host = host_function(
        [](const std::vector<Tensor>& in) -> std::vector<Tensor> {
          return {Tensor{in[0].to_vector<float>()[0] + 100.f}};
        },
        {doubled}, {Spec{float32, {1}}})[0];
    return from_host * 3.f + doubled;
  });
  const DeviceScope scope(sim_);
  for (float x : {1.f, 2.f}) {
    const Tensor y = f(Tensor{x});
    EXPECT_EQ(y.device(), sim_);
    expect_equal(y, Array({1}, {(2.0 * x + 100) * 3 + 2.0 * x}), float32);
  }
}

TEST_F(OnDevice, AFailureOfHostCodeChangesNothing) {
  const Variable steps(Tensor(int64_t{0})), total(Tensor(0.f));
  bool fails = false;
  const Spec number{float32, {}};
  const auto f = function([&](const Tensor& x) {
    Variable(steps).assign_add(Tensor(int64_t{1}));
    const Tensor rate = host_tensors({&number, 1}, [&]() -> std::vector<Tensor> {
      require(!fails, "the host fails");
      return {Tensor(1.f)};
    })[0];
    Variable(total).assign_add(x * rate);
  });
  const DeviceScope scope(sim_);
  f(Tensor(1.f));
  fails = true;
  EXPECT_ERROR(f(Tensor(1.f)), InvalidArgumentError, "the host fails");
  EXPECT_EQ(steps.value().item<int64_t>(), 1);
  EXPECT_EQ(total.value().item<float>(), 1);
}

TEST(OnEveryDevice, ShufflesWithoutTheHost) {
  for (const Device& device : test_devices()) {
    if (device.type != DeviceType::kGPU) continue;
    const auto body = [](const std::vector<Tensor>& inputs) -> std::vector<Tensor> {
      return {random::shuffle(inputs[0] * 2.f), random::uniform({3})};
    };
    const Tensor x = Tensor{1.f, 2.f, 3.f, 4.f, 5.f}.to(device);
    const Tensor* refs[] = {&x};
    random::set_seed(4);
    graph::Compiled there(graph::trace(body, std::vector<Spec>{x.spec()}), {}, device);
    EXPECT_TRUE(there.gains_by_repeating());
    const Tensors many = there.run_times(TensorRefs(refs), 3);
    random::set_seed(4);
    const Tensor y = x.cpu();
    const Tensor* host[] = {&y};
    graph::Compiled here(graph::trace(body, std::vector<Spec>{y.spec()}));
    const Tensors expected = here.run_times(TensorRefs(host), 3);
    for (size_t i = 0; i < 2; ++i) expect_equal(many[i], to_array(expected[i]), float32);
  }
}
