// Training on another device than the CPU: the data are there, and steps pick their batches.
#include "alula/graph/trial_device.h"
#include "alula/image/image.h"
#include "alula/keras/compiled_step_test.h"
#include "alula/keras/mixed_precision.h"
#include "alula/runtime/devices.h"
#include "alula/testing/simulated_device.h"
#include "alula/testing/watched_backend.h"

using namespace alula;
using namespace alula::keras;
using alula::testing::sim;

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

/// Weights, losses and metrics of 200 steps, as far from the CPU's as `tolerance` at most.
static void compare_with_cpu(bool tensor_float_32, double tolerance) {
  config::enable_tensor_float_32_execution(tensor_float_32);
  const Trained cpu = train_on(kCPU);
  for (const Device& device : alula::testing::test_devices()) {
    if (device.is_cpu()) continue;
    SCOPED_TRACE(to_string(device));
    const Trained there = train_on(device);
    for (const Tensor& weight : there.weights) EXPECT_EQ(weight.device(), device);
    expect_same(there.weights, cpu.weights, tolerance);
    for (size_t epoch = 0; epoch < 25; ++epoch)
      EXPECT_NEAR(there.history["loss"][epoch], cpu.history["loss"][epoch], tolerance) << epoch;
    // One of the 70 samples may fall on the other side where operands are rounded.
    const double samples = tensor_float_32 ? 1.01 / 70 : 1e-4;
    for (size_t epoch = 0; epoch < 25; ++epoch)
      EXPECT_NEAR(there.history["accuracy"][epoch], cpu.history["accuracy"][epoch], samples);
  }
  config::enable_tensor_float_32_execution(true);
}

TEST(FitOnDevice, TwoHundredStepsAreThoseOfTheCpu) { compare_with_cpu(false, 1e-4); }

TEST(FitOnDevice, WithTensorFloat32TheyAreNearThem) { compare_with_cpu(true, 2e-3); }

TEST(FitOnDevice, CopiesTheDataOnce) {
  const Device device = sim();
  train_on(device);
  const auto before = simulated::statistics(device);
  train_on(device);
  const auto after = simulated::statistics(device);
  // Some numbers of the host for each launch of several steps, but no batches: 25 epochs would be
  // 4 MB.
  EXPECT_LT(after.bytes_from_host - before.bytes_from_host, 1'000'000);
  EXPECT_LT(after.launches - before.launches, 600);
}

namespace {

/// What `fit` makes of it where nobody says where.
Trained train_on_trial(const simulated::Options& options, Device& device) {
  device = simulated::add(options);
  const graph::TrialDevice in_its_place(device);
  random::set_seed(5);
  Sequential model(
      {layers::Dense({.units = 512, .activation = "relu"}), layers::Dense({.units = 3})});
  model.compile(
      {.optimizer = "adam", .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  random::set_seed(6);
  const Tensor x = random::normal({70, 600}, {.seed = 1});
  const Tensor y = random::uniform({70}, {.maxval = 3, .dtype = int32, .seed = 2});
  Trained trained;
  trained.history = model.fit(x, y, {.batch_size = 8, .epochs = 12, .verbose = 0});
  trained.weights = values_of(model.weights());
  return trained;
}

}  // namespace

TEST(FitOnTrial, StaysOnTheFasterDeviceAndLearnsTheSame) {
  Device slow, none;
  const Trained there = train_on_trial({.launch_latency_us = 20'000}, slow);
  EXPECT_GT(simulated::statistics(slow).launches, 0) << "it was not tried";
  EXPECT_LT(simulated::statistics(slow).launches, 40) << "it stayed there";
  for (const Tensor& weight : there.weights) EXPECT_EQ(weight.device(), kCPU);
  const Trained cpu = [&] {
    const DeviceScope scope(kCPU);
    return train_on_trial({}, none);
  }();
  EXPECT_EQ(simulated::statistics(none).launches, 0);
  expect_same(there.weights, cpu.weights, 1e-4);
}

TEST(FitOnTrial, GoesOnOnTheCpuWhereTheModelDoesNotFit) {
  Device full, none;
  const Trained there = train_on_trial({.memory_limit = 1 << 20}, full);
  const Trained cpu = [&] {
    const DeviceScope scope(kCPU);
    return train_on_trial({}, none);
  }();
  for (const Tensor& weight : there.weights) EXPECT_EQ(weight.device(), kCPU);
  EXPECT_GT(simulated::statistics(full).copies_from_host, 0) << "it was not tried";
  expect_same(there.weights, cpu.weights, 1e-5);
}

namespace {

data::Dataset small_images() {
  const DeviceScope scope(kCPU);
  const Tensor x = random::uniform({70, 6, 5, 3}, {.maxval = 256, .dtype = int32, .seed = 1});
  const Tensor y = random::uniform({70}, {.maxval = 3, .dtype = int32, .seed = 2});
  return data::Dataset::from_tensor_slices({cast(x, uint8), y});
}

std::tuple<Tensor, Tensor> prepared(const Tensor& image, const Tensor& label) {
  return {image::random_brightness(cast(image, float32) / 255.F, 0.1), one_hot(label, 3)};
}

Sequential classifier() {
  Sequential model({layers::Flatten(), layers::Dense({.units = 8, .activation = "relu"}),
                    layers::Dropout({.rate = 0.3}), layers::Dense({.units = 3})});
  model.compile({.optimizer = "adam",
                 .loss = losses::CategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"}});
  return model;
}

/// Trains on a data set, evaluates on it, and gives the weights and what came out.
Trained train_with(const data::Dataset& dataset, Device device, int64_t epochs = 4) {
  random::set_seed(5);
  const DeviceScope scope(device);
  Sequential model = classifier();
  Trained trained;
  trained.history = model.fit(dataset, {.epochs = epochs, .verbose = 0});
  trained.weights = values_of(model.weights());
  for (const auto& [name, value] : model.evaluate(dataset, {.verbose = 0}))
    trained.weights.emplace_back(static_cast<float>(value));
  return trained;
}

void expect_like_cpu(const std::function<data::Dataset()>& pipeline, const std::string& explained) {
  config::enable_tensor_float_32_execution(false);
  random::set_seed(9);
  const Trained cpu = train_with(pipeline(), kCPU);
  sim();
  for (const Device& device : config::list_physical_devices()) {
    if (device.is_cpu()) continue;
    SCOPED_TRACE(to_string(device));
    random::set_seed(9);
    const data::Dataset dataset = pipeline();
    const Trained there = train_with(dataset, device);
    expect_same(there.weights, cpu.weights, 1e-4);
    EXPECT_EQ(there.history["loss"].size(), cpu.history["loss"].size());
    const std::string text = fmt::format(fmt::runtime(explained), fmt::arg("device", device));
    EXPECT_NE(dataset.explain().find(text), std::string::npos) << dataset.explain();
  }
  config::enable_tensor_float_32_execution(true);
}

}  // namespace

TEST(FitOnDevice, MapsRunInTheStep) {
  expect_like_cpu(
      [] {
        return small_images()
            .shuffle(30)
            .map(prepared, {.num_parallel_calls = data::AUTOTUNE})
            .batch(8)
            .prefetch(data::AUTOTUNE);
      },
      "from_tensor_slices: 70 elements; on {device}\n"
      "shuffle(30): by position\n"
      "map: one call for 8 elements; in the step on {device}\n"
      "batch(8)\n"
      "prefetch(AUTOTUNE)\n");
}

TEST(FitOnDevice, ABatchIsPickedAndMappedInOneKernel) {
  const Device device = simulated::add();
  alula::testing::watch(device);
  const auto scaled = [](const Tensor& x, const Tensor& y) {
    return std::tuple(cast(x, float32) / 255.0F, one_hot(y, 3));
  };
  train_with(small_images().map(scaled).batch(10), device, 1);
  const auto kernels = alula::testing::watched(device).kernels;
  EXPECT_TRUE(kernels.contains("gather+cast+div"));
  EXPECT_FALSE(kernels.contains("cast+div"));
}

TEST(FitOnDevice, WhatIsDrawnForEachImageIsPartOfPickingIt) {
  const Device device = simulated::add();
  alula::testing::watch(device);
  const auto changed = [](const Tensor& x, const Tensor& y) {
    return std::tuple(image::random_brightness(cast(x, float32) / 255.0F, 0.1), one_hot(y, 3));
  };
  train_with(small_images().map(changed).batch(10), device, 1);
  const auto kernels = alula::testing::watched(device).kernels;
  EXPECT_TRUE(kernels.contains("gather+cast+div+add"));
  EXPECT_FALSE(kernels.contains("slice"));
}

TEST(FitOnDevice, MapsOfBatchesRunInTheStep) {
  Variable scale(Tensor(0.01F));
  expect_like_cpu(
      [&] {
        return small_images()
            .cache()
            .shuffle(70, {.seed = 3})
            .batch(9)
            .map([&](const Tensor& x, const Tensor& y) {
              return std::tuple(cast(x, float32) * scale + random::normal({5, 3}, {.stddev = 0.1}),
                                one_hot(y, 3));
            })
            .repeat(2);
      },
      "; in the step on {device}");
}

TEST(FitOnDevice, WhatCallsTheHostStaysThere) {
  const auto by_host = [](const Tensor& x, const Tensor& y) {
    const Spec spec{float32, {6, 5, 3}};
    return std::tuple(
        host_function([](const Tensor& image) { return cast(image, float32) / 255.F; }, x, spec),
        one_hot(y, 3));
  };
  expect_like_cpu([&] { return small_images().shuffle(70).map(by_host).batch(8); },
                  "map: one call an element (it calls host code); on the host, and so batches for "
                  "{device} come from there: it calls host code\n");
}

TEST(FitOnDevice, KeepsDataAsTheyAreStored) {
  const Device device = sim();
  const data::Dataset dataset = small_images().map(prepared).batch(10);
  train_with(dataset, device);
  const auto before = simulated::statistics(device);
  train_with(dataset, device, 20);
  const auto after = simulated::statistics(device);
  // The images take 6300 bytes, four times as much as numbers, and 20 epochs of those 504 kB; what
  // is drawn takes half as much, since this device leaves that to the host.
  EXPECT_LT(after.bytes_from_host - before.bytes_from_host, 400'000);
}

namespace {

/// Numbers from a function of the host, ten at a time; the last ones fail if they are to.
data::Dataset generated(int64_t batches, bool fails = false) {
  const auto make = [=] {
    return [=, i = int64_t{0}](data::Element& batch) mutable {
      require(!fails || i < batches - 1, "batch {} cannot be made", i);
      batch = {random::normal({10, 6}, {.seed = 1}), random::uniform({10, 3}, {.seed = 2})};
      return i++ < batches;
    };
  };
  return data::Dataset::from_generator(make,
                                       {{.kind = data::Structure::Kind::kTuple, .items = {{}, {}}},
                                        {{float32, {10, 6}}, {float32, {10, 3}}}});
}

}  // namespace

TEST(FitOnDevice, BatchesOfTheHostArePutThereAhead) {
  const Device device = sim();
  expect_like_cpu([] { return generated(12).prefetch(2); }, "from_generator");
  const auto before = simulated::statistics(device);
  train_with(generated(12), device, 1);
  const auto after = simulated::statistics(device);
  EXPECT_GE(after.bytes_from_host - before.bytes_from_host, 24 * 10 * 9 * 4);
  EXPECT_ERROR(train_with(generated(12, true), device, 1), InvalidArgumentError,
               "batch 11 cannot be made");
}

TEST(FitOnDevice, TellsAtWhichStepALossStoppedBeingANumber) {
  const Device device = sim();
  const Tensor x = random::normal({640, 4}, {.seed = 1});
  std::vector<float> labels(640, 1.F);
  labels[500] = std::numeric_limits<float>::quiet_NaN();
  const DeviceScope scope(device);
  Sequential model({layers::Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Said said;
  model.fit(data::Dataset::from_tensor_slices({x, Tensor(labels)}).batch(8),
            {.epochs = 2, .verbose = 0});
  ASSERT_EQ(said.texts.size(), 1u);
  EXPECT_NE(said.texts[0].find("became nan at step 63 of epoch 1"), std::string::npos)
      << said.texts[0];
}

TEST(FitOnDevice, CallbacksSeeEveryStepAndStepsPerExecutionAsMany) {
  struct Counting final : Callback {
    void on_train_batch_end(int64_t step, const Logs&) override { steps.push_back(step); }
    std::vector<int64_t> steps;
  };
  for (const int64_t at_once : {1, 4}) {
    Counting counting;
    const DeviceScope scope(sim());
    Sequential model({layers::Dense({.units = 1})});
    model.compile({.optimizer = "sgd", .loss = "mse", .steps_per_execution = at_once});
    model.fit(ones({40, 3}), ones({40, 1}),
              {.batch_size = 4, .verbose = 0, .callbacks = {&counting}});
    if (at_once == 1)
      EXPECT_EQ(counting.steps, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    else
      EXPECT_EQ(counting.steps, (std::vector<int64_t>{3, 7, 9}));
  }
}

TEST(FitOnDevice, StepsWithALossScaleAreManyToALaunch) {
  mixed_precision::set_global_policy("mixed_float16");
  const Device device = sim();
  const Tensor x = random::normal({640, 4}, {.seed = 1}), y = ones({640, 1});
  std::vector<Tensor> weights[2];
  for (const bool there : {false, true}) {
    random::set_seed(5);
    const DeviceScope scope(there ? device : kCPU);
    Sequential model({layers::Dense({.units = 1})});
    model.compile({.optimizer = "adam", .loss = "mse"});
    model.fit(x, y, {.batch_size = 10, .verbose = 0, .shuffle = false});
    const auto before = simulated::statistics(device);
    model.fit(x, y, {.batch_size = 10, .verbose = 0, .shuffle = false});
    const auto after = simulated::statistics(device);
    EXPECT_LT(after.launches - before.launches, 64);
    weights[there] = values_of(model.weights());
  }
  mixed_precision::set_global_policy(float32);
  expect_same(weights[1], weights[0], 1e-3);
}

TEST(FitOnDevice, AStepThatLooksAtValuesRunsBatchByBatch) {
  const Tensor x = cast(reshape(range(6), {6, 1}), float32);
  std::vector<float> seen[2];
  for (const bool there : {false, true}) {
    random::set_seed(5);
    const DeviceScope scope(there ? sim() : kCPU);
    const Sequential model({layers::Rescaling({.scale = 1.0, .input_shape = {1}})});
    const auto note = [&](const Tensor&, const Tensor& y_pred) {
      for (float value : y_pred.to_vector<float>()) seen[there].push_back(value);
      return reduce_mean(y_pred, {.axis = -1});
    };
    model.compile({.loss = note});
    model.fit(x, x, {.batch_size = 2, .epochs = 2, .verbose = 0});
    model.evaluate(x, x, {.batch_size = 4, .verbose = 0});
  }
  EXPECT_EQ(seen[0].size(), 18);
  EXPECT_EQ(seen[0], seen[1]);
}
