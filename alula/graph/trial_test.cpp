#include "alula/graph/trial.h"

#include <thread>

#include "alula/backends/simulated/simulated.h"
#include "alula/graph/function.h"
#include "alula/graph/trial_device.h"
#include "alula/ops/all.h"
#include "alula/ops/host_function.h"
#include "alula/runtime/devices.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;
using graph::Trial;
using graph::TrialDevice;
using std::chrono::microseconds;

namespace {

/// A simulated device in the GPU's place.
class TrialTest : public ::testing::Test {
 protected:
  explicit TrialTest(const simulated::Options& options = {})
      : sim_(simulated::add(options)), in_its_place_(sim_) {}
  ~TrialTest() override { simulated::remove(sim_); }

  const Device sim_;
  const TrialDevice in_its_place_;
};

class FullTrialTest : public TrialTest {
 protected:
  FullTrialTest() : TrialTest({.memory_limit = 64 << 10}) {}
};

void run(Trial& trial, int runs, microseconds each) {
  for (int i = 0; i < runs; ++i) trial.took(each);
}

/// A function of a variable, of which each call waits as long as `wait` says.
auto counting(Variable& count, std::atomic<int>& wait) {
  return function([&](const Tensor& x) {
    const Tensor one = host_function(
        [&wait](const std::vector<Tensor>& inputs) {
          std::this_thread::sleep_for(microseconds(wait.load()));
          return std::vector<Tensor>{inputs[0]};
        },
        {x}, {x.spec()})[0];
    count.assign_add(one);
    return count.value() * 2.f;
  });
}

}  // namespace

TEST(Trial, StaysOnTheCpuWhereThereIsNoGpu) {
  if (graph::trial_device().has_value()) GTEST_SKIP() << "there is a GPU";
  EXPECT_TRUE(Trial().decided());
  EXPECT_EQ(Trial().place(), kCPU);
}

TEST_F(TrialTest, WhatIsShortStaysOnTheCpu) {
  Trial trial;
  EXPECT_FALSE(trial.decided());
  trial.took(microseconds(5000));  // the first run prepares everything
  run(trial, 3, microseconds(29));
  EXPECT_TRUE(trial.decided());
  EXPECT_EQ(trial.place(), kCPU);
}

TEST_F(TrialTest, TheFasterDeviceIsChosen) {
  for (int there : {50, 150}) {
    Trial trial;
    run(trial, 4, microseconds(100));
    EXPECT_FALSE(trial.decided());
    EXPECT_EQ(trial.place(), sim_);
    trial.took(microseconds(100'000));  // compiles its kernels
    run(trial, 3, microseconds(there));
    EXPECT_TRUE(trial.decided());
    EXPECT_EQ(trial.place(), there < 100 ? sim_ : kCPU);
  }
}

TEST_F(TrialTest, TheShortestRunCounts) {
  Trial trial;
  run(trial, 2, microseconds(1000));  // something else kept the cores busy
  trial.took(microseconds(40));
  trial.took(microseconds(1000));
  trial.took(microseconds(100'000));
  run(trial, 3, microseconds(45));
  EXPECT_EQ(trial.place(), kCPU);
}

TEST_F(TrialTest, SeveralRunsInARowAreDivided) {
  Trial trial;
  for (int i = 0; i < 4; ++i) trial.took(microseconds(3200), 32);  // 100 us each
  for (int i = 0; i < 4; ++i) trial.took(microseconds(320), 32);
  EXPECT_EQ(trial.place(), sim_);
}

TEST_F(TrialTest, WhatTheDeviceCannotDoStaysOnTheCpu) {
  Trial trial;
  run(trial, 4, microseconds(100));
  trial.stay_on_cpu();
  run(trial, 4, microseconds(1));
  EXPECT_TRUE(trial.decided());
  EXPECT_EQ(trial.place(), kCPU);
}

TEST_F(TrialTest, AFunctionMovesToTheFasterDevice) {
  Variable count(Tensor{0.f});
  std::atomic<int> wait = 3000;
  const auto f = counting(count, wait);
  const auto before = simulated::statistics(sim_);
  for (int i = 1; i <= 12; ++i) {
    if (i == 5) {  // four runs on the CPU have been slow; those that follow are not
      EXPECT_EQ(simulated::statistics(sim_).launches, before.launches);
      wait = 0;
    }
    expect_equal(f(Tensor{1.f}), Array({1}, {2.0 * i}), float32);
  }
  EXPECT_GT(simulated::statistics(sim_).launches, before.launches);
  EXPECT_EQ(count.device(), sim_);
  EXPECT_EQ(f(Tensor{1.f}).device(), sim_);
  count.storage() = count.value().cpu();  // nothing may be left there
}

TEST_F(TrialTest, AFunctionComesBackFromTheSlowerDevice) {
  Variable count(Tensor{0.f});
  std::atomic<int> wait = 200;
  const auto f = counting(count, wait);
  for (int i = 1; i <= 12; ++i) {
    if (i == 5) wait = 20'000;
    if (i == 9) wait = 0;
    expect_equal(f(Tensor{1.f}), Array({1}, {2.0 * i}), float32);
  }
  EXPECT_EQ(count.device(), kCPU);
  const auto before = simulated::statistics(sim_);
  expect_equal(f(Tensor{1.f}), Array({1}, {26}), float32);
  EXPECT_EQ(simulated::statistics(sim_).launches, before.launches);
}

TEST_F(FullTrialTest, AFunctionThatDoesNotFitStaysOnTheCpu) {
  Variable sum(zeros({64, 64}));
  const auto f = function([&](const Tensor& x) {
    std::this_thread::yield();
    const Tensor large = matmul(reshape(x, {4096, 1}), ones({1, 64}));  // 1 MiB
    sum.assign_add(matmul(large, large, {.transpose_a = true}));
    return reduce_sum(sum);
  });
  const Tensor x = ones({64, 64});
  for (int i = 1; i <= 12; ++i)
    expect_equal(f(x), Array({}, {4096.0 * 4096 * i}), float32, {.relative = 1e-5});
  EXPECT_EQ(sum.device(), kCPU);
}
