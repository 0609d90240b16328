// Training on another device than the CPU: the data are there, and steps pick their batches.
#include "alula/backends/simulated/simulated.h"
#include "alula/keras/compiled_step_test.h"
#include "alula/runtime/devices.h"

using namespace alula;
using namespace alula::keras;

namespace {

struct Trained {
  History history;
  std::vector<Tensor> weights;
};

/// Everything that changes from step to step: the order of the samples, what is left out, the rate,
/// and how many steps Adam has made.
Trained train_on(Device device, int64_t steps_per_execution = 1) {
  random::set_seed(5);
  const DeviceScope scope(device);
  Sequential model({layers::Dense({.units = 16, .activation = "relu"}),
                    layers::Dropout({.rate = 0.3}), layers::Dense({.units = 3})});
  const auto rate = optimizers::schedules::ExponentialDecay(
      {.initial_learning_rate = 0.01, .decay_steps = 20, .decay_rate = 0.9});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = rate}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"},
                 .steps_per_execution = steps_per_execution});
  random::set_seed(6);
  const Tensor x = random::normal({70, 600}, {.seed = 1}).cpu();
  const Tensor y = random::uniform({70}, {.maxval = 3, .dtype = int32, .seed = 2}).cpu();
  Trained trained;
  trained.history = model.fit(x, y, {.batch_size = 8, .epochs = 25, .verbose = 0});
  trained.weights = values_of(model.weights());
  return trained;
}

}  // namespace

TEST(FitOnDevice, TwoHundredStepsAreThoseOfTheCpu) {
  config::enable_tensor_float_32_execution(false);
  const Trained cpu = train_on(kCPU);
  for (const Device& device : alula::testing::test_devices()) {
    if (device.is_cpu()) continue;
    SCOPED_TRACE(to_string(device));
    const Trained there = train_on(device);
    for (const Tensor& weight : there.weights) EXPECT_EQ(weight.device(), device);
    expect_same(there.weights, cpu.weights, 1e-4);
    for (const char* name : {"loss", "accuracy"})
      for (size_t epoch = 0; epoch < 25; ++epoch)
        EXPECT_NEAR(there.history[name][epoch], cpu.history[name][epoch], 1e-4) << name << epoch;
  }
  config::enable_tensor_float_32_execution(true);
}

TEST(FitOnDevice, CopiesTheDataOnce) {
  if (config::list_physical_devices(DeviceType::kSimulated).empty()) simulated::add();
  const Device device{DeviceType::kSimulated, 0};
  train_on(device);
  const auto before = simulated::statistics(device);
  train_on(device);
  const auto after = simulated::statistics(device);
  // Some numbers of the host for each launch of several steps, but no batches: 25 epochs would be
  // 4 MB.
  EXPECT_LT(after.bytes_from_host - before.bytes_from_host, 1'000'000);
  EXPECT_LT(after.launches - before.launches, 600);
}
