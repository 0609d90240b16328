// Mixed precision: layers compute in 16 bits, their weights stay in float32.
#include "alula/keras/mixed_precision.h"

#include "alula/autograd/tape.h"
#include "alula/graph/function.h"
#include "alula/keras/compiled_step_test.h"
#include "alula/keras/summary.h"
#include "alula/runtime/devices.h"
#include "alula/testing/simulated_device.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::testing;

namespace {

/// Sets the global policy for one test.
class Under {
 public:
  explicit Under(const Policy& policy) { mixed_precision::set_global_policy(policy); }
  ~Under() { mixed_precision::set_global_policy(float32); }
  Under(const Under&) = delete;
  Under& operator=(const Under&) = delete;
};

constexpr const char* kPolicies[] = {"float32", "float64",        "bfloat16",
                                     "float16", "mixed_bfloat16", "mixed_float16"};

std::vector<float> between(float from, float to, int count) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i)
    values.push_back(from + (to - from) * static_cast<float>(i) / static_cast<float>(count - 1));
  return values;
}

/// The data and the weights of the model that Keras was asked about.
struct Known {
  Tensor x, y;
  std::vector<Tensor> weights;
  Known() {
    std::vector<float> cosines;
    for (int i = 0; i < 24; ++i) cosines.push_back(std::cos(static_cast<float>(i)));
    x = Tensor(cosines, {6, 4});
    y = reduce_sum(x, {.axis = 1, .keepdims = true}) * 0.5f;
    weights = {Tensor(between(-0.7f, 0.7f, 20), {4, 5}), Tensor(between(-0.3f, 0.3f, 5), {5}),
               Tensor(between(0.9f, -0.8f, 5), {5, 1}), Tensor({0.1f})};
  }
  Sequential model() const {
    Sequential model({Input({.shape = {4}}), layers::Dense({.units = 5, .activation = "tanh"}),
                      layers::Dense({.units = 1})});
    model.set_weights(weights);
    return model;
  }
};

Tensor infinite(const Spec& spec) { return fill(spec.shape, INFINITY, spec.dtype); }

}  // namespace

TEST(Policy, NamesTwoDtypes) {
  const Policy mixed("mixed_bfloat16");
  EXPECT_EQ(mixed.compute_dtype(), bfloat16);
  EXPECT_EQ(mixed.variable_dtype(), float32);
  EXPECT_EQ(mixed.name(), "mixed_bfloat16");
  EXPECT_EQ(Policy("mixed_float16").compute_dtype(), float16);
  EXPECT_EQ(Policy("float64"), Policy(float64));
  EXPECT_EQ(Policy(float64).name(), "float64");
  EXPECT_ERROR(Policy("mixed_float64"), InvalidArgumentError, "Got \"mixed_float64\"");
  EXPECT_ERROR(mixed_precision::set_global_policy("int32"), InvalidArgumentError, "floating");
}

TEST(Policy, IsThatOfLayersMadeFromThenOn) {
  EXPECT_EQ(mixed_precision::global_policy().name(), "float32");
  const layers::Dense before({.units = 2});
  {
    const Under policy("mixed_float16");
    EXPECT_EQ(mixed_precision::global_policy().name(), "mixed_float16");
    EXPECT_EQ(layers::Dense({.units = 2})->dtype_policy().name(), "mixed_float16");
    EXPECT_EQ(layers::Dense({.units = 2, .dtype = float64})->dtype_policy().name(), "float64");
    EXPECT_EQ(before->dtype_policy().name(), "float32");
    EXPECT_EQ(Input({.shape = {2}}).dtype(), float32);
  }
  EXPECT_EQ(layers::Dense({.units = 2, .dtype = "mixed_bfloat16"})->compute_dtype(), bfloat16);
}

TEST(MixedPrecision, OutputsAreOfTheComputeDtypeAndVariablesOfTheirOwn) {
  for (const char* name : kPolicies) {
    const Policy policy(name);
    const layers::Dense dense({.units = 3, .activation = "relu", .dtype = policy});
    const Tensor y = dense(random_tensor({float32, {4, 2}}));
    EXPECT_EQ(y.dtype(), policy.compute_dtype()) << name;
    EXPECT_EQ(dense->kernel.dtype(), policy.variable_dtype()) << name;
    EXPECT_EQ(dense->kernel.value().dtype(), policy.variable_dtype()) << name;  // outside of a call
    EXPECT_EQ(dense(Input({.shape = {2}})).dtype(), policy.compute_dtype()) << name;
  }
}

TEST(MixedPrecision, EveryLayerComputesInIt) {
  const Under policy("mixed_bfloat16");
  const Tensor image = random_tensor({float32, {2, 6, 6, 3}});
  const std::vector<Layer> all = {
      layers::Conv2D({.filters = 4, .kernel_size = 3}),
      layers::Conv2DTranspose({.filters = 4, .kernel_size = 3}),
      layers::DepthwiseConv2D({.kernel_size = 3}),
      layers::BatchNormalization(),
      layers::LayerNormalization(),
      layers::Dropout({.rate = 0.5}),
      layers::MaxPooling2D({.pool_size = 2}),
      layers::AveragePooling2D({.pool_size = 2}),
      layers::GlobalAveragePooling2D(),
      layers::GlobalMaxPooling2D(),
      layers::Flatten(),
      layers::Rescaling({.scale = 2.0}),
      layers::Softmax(),
      layers::ReLU(),
      layers::ZeroPadding2D(),
      layers::Dense({.units = 2}),
  };
  for (const Layer& layer : all)
    for (const bool training : {false, true}) {
      EXPECT_EQ(layer(image, {.training = training}).dtype(), bfloat16) << layer.name();
      for (const Variable& weight : layer.weights())
        EXPECT_EQ(weight.dtype(), float32) << layer.name() << " " << weight.name();
    }
  const layers::Embedding embedding({.input_dim = 4, .output_dim = 2});
  EXPECT_EQ(embedding(Tensor({1, 2})).dtype(), bfloat16);
  EXPECT_EQ(embedding->embeddings.dtype(), float32);
  EXPECT_EQ(layers::Average()(std::vector<Tensor>{image, image}).dtype(), bfloat16);
}

TEST(MixedPrecision, GradientsAreOfTheVariablesDtype) {
  const layers::Dense dense({.units = 3, .dtype = "mixed_float16"});
  const Tensor x = random_tensor({float32, {4, 2}});
  GradientTape tape;
  tape.watch(x);
  const Tensor loss = reduce_sum(cast(dense(x), float32));
  const std::vector<Tensor> gradients = tape.gradient(loss, dense.trainable_variables());
  ASSERT_EQ(gradients.size(), 2u);
  for (const Tensor& gradient : gradients) EXPECT_EQ(gradient.dtype(), float32);
  expect_equal(gradients[1], {{3}, {4, 4, 4}}, float32);
  const Tensor sums = reduce_sum(cast(cast(x, float16), float32), {.axis = 0});
  expect_equal(gradients[0], to_array(broadcast_to(reshape(sums, {2, 1}), {2, 3})), float32,
               {.relative = 2e-3});
}

namespace {

/// Reads and changes variables of its own, and calls a layer of another policy.
struct CountsImpl : LayerImpl {
  layers::Dense inner{{.units = 1, .kernel_initializer = "ones", .dtype = float32}};
  Variable total;
  DType seen = boolean;
  explicit CountsImpl(const LayerOptions& options) : LayerImpl(options) { track(inner); }
  void build(const Shape&) override {
    total = add_weight({.name = "total", .shape = {}, .initializer = "zeros", .trainable = false});
  }
  Tensor call(const Tensor& x) override {
    if (!is_only_described(x)) {
      total.assign(total + reduce_sum(x));
      total.assign_add(reduce_sum(x));
    }
    seen = (total + 0).dtype();
    return inner(x);
  }
};

}  // namespace

TEST(MixedPrecision, AVariableIsReadCastInACallAndKeepsItsDtypeWhenAssigned) {
  const LayerOf<CountsImpl> layer(LayerOptions{.dtype = "mixed_bfloat16"});
  const Tensor y = layer(ones({2, 2}));
  EXPECT_EQ(layer->seen, bfloat16);
  EXPECT_EQ(layer->total.dtype(), float32);
  EXPECT_EQ(layer->total.value().item<float>(), 8.f);
  EXPECT_EQ(y.dtype(), float32);  // the layer inside has a policy of its own
  EXPECT_EQ(t_state.flags, 0u);
}

TEST(MixedPrecision, AFunctionCompiledBeforeReadsVariablesAsTheyAre) {
  const Variable w({1.f, 2.f});
  const Tensor one = ones({2});
  const auto twice = alula::function([&](const Tensor& x) { return x * w; });
  expect_equal(twice(one), {{2}, {1, 2}}, float32);
  const layers::Lambda layer(
      {.function = [&](const Tensor& x) { return x + cast(twice(one), x.dtype()); },
       .dtype = "mixed_bfloat16"});
  expect_equal(layer({{0.f, 0.f}}), {{1, 2}, {1, 2}}, bfloat16);
}

TEST(MixedPrecision, AgreesWithKeras) {
  const Known known;
  const Under policy("mixed_bfloat16");
  const Sequential model = known.model();
  expect_equal(
      model(known.x),
      {{6, 1}, {-0.30078125, -0.265625, 0.07861328125, -0.50390625, 0.08349609375, -0.11376953125}},
      bfloat16, {.relative = 1e-2});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  for (const double loss : {0.6214783, 0.4715541, 0.3726068, 0.2995802, 0.2468212})
    EXPECT_NEAR(model.train_on_batch(known.x, known.y)["loss"], loss, 3e-3);
}

TEST(MixedPrecision, WithLossScalingAgreesWithKeras) {
  const Known known;
  const Under policy("mixed_float16");
  const Sequential model = known.model();
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse"});
  for (const double loss : {0.6206670, 0.5730966, 0.5287767, 0.4885712, 0.4515753})
    EXPECT_NEAR(model.train_on_batch(known.x, known.y)["loss"], loss, 1e-3);
}

TEST(MixedPrecision, TrainsToTheSameLossInEveryPolicy) {
  const Known known;
  for (const bool eagerly : {false, true}) {
    double wanted = 0;  // what float32 comes to, the first of the policies
    for (const char* name : kPolicies) {
      const Under policy(name);
      const Sequential model = known.model();
      model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}),
                     .loss = "mse",
                     .metrics = {"mae"},
                     .run_eagerly = eagerly});
      Said said;
      const History history = model.fit(
          known.x, known.y, {.batch_size = 3, .epochs = 30, .verbose = 0, .shuffle = false});
      EXPECT_TRUE(said.texts.empty()) << said.texts[0];
      const double loss = history["loss"].back();
      if (wanted == 0) wanted = loss;
      EXPECT_LT(loss, 0.05);  // from 0.6
      EXPECT_NEAR(loss, wanted, Policy(name) == Policy(bfloat16) ? 0.01 : 0.1 * wanted) << name;
      EXPECT_EQ(model.evaluate(known.x, known.y, {.verbose = 0}).size(), 2u);
    }
  }
}

TEST(MixedPrecision, CompiledStepsAreAsEagerOnes) {
  const Samples samples;
  for (const char* name : {"mixed_bfloat16", "mixed_float16"}) {
    const Under policy(name);
    std::vector<Tensor> start, weights[2];
    for (const bool eagerly : {true, false}) {
      const Sequential model(
          {Input({.shape = {6}}), layers::Dense({.units = 8}), layers::BatchNormalization(),
           layers::Activation({.activation = "relu"}), layers::LayerNormalization(),
           layers::Dense({.units = 3, .activation = "softmax", .kernel_regularizer = "l2"})});
      if (start.empty()) start = model.get_weights();
      model.set_weights(start);
      model.compile({.optimizer = "adam",
                     .loss = "sparse_categorical_crossentropy",
                     .metrics = {"accuracy"},
                     .run_eagerly = eagerly});
      for (int i = 0; i < 4; ++i) model.train_on_batch(samples.x, samples.y);
      EXPECT_EQ(traces_of(model), eagerly ? 0u : 1u);
      weights[eagerly] = model.get_weights();
    }
    for (size_t i = 0; i < weights[0].size(); ++i)
      expect_equal(weights[0][i], to_array(weights[1][i]), float32, {.relative = 1e-2});
  }
}

TEST(MixedPrecision, ClonesKeepTheirPolicies) {
  const Tensor input = Input({.shape = {4}});
  const Tensor hidden = layers::Dense({.units = 3, .dtype = "mixed_bfloat16"})(input);
  const Model model(
      {.inputs = input, .outputs = layers::Dense({.units = 2, .dtype = "float32"})(hidden)});
  const Under policy("mixed_float16");
  const Model clone = models::clone_model(model);
  const std::vector<Layer> layers = clone.layers();
  ASSERT_EQ(layers.size(), 3u);
  EXPECT_EQ(layers[1].impl().dtype_policy().name(), "mixed_bfloat16");
  EXPECT_EQ(layers[2].impl().dtype_policy().name(), "float32");
  EXPECT_EQ(clone.impl().dtype_policy().name(), "float32");
  EXPECT_EQ(clone(ones({1, 4})).dtype(), float32);
}

TEST(MixedPrecision, CastsAreNoPartOfAFunctionalModelsLayers) {
  const Under policy("mixed_bfloat16");
  const Tensor input = Input({.shape = {4}, .name = "images"});
  const layers::Dense a({.units = 3, .name = "a"}), b({.units = 3, .name = "b"});
  const Model model({.inputs = input, .outputs = layers::Add()({a(input), b(input)})});
  const std::string text = summary_text(model.impl());
  EXPECT_NE(text.find("images[0][0]"), std::string::npos) << text;
}

// LossScaleOptimizer

TEST(LossScaleOptimizer, IsPutAroundTheOptimizerOfAFloat16Model) {
  const Known known;
  const Under policy("mixed_float16");
  const Sequential model = known.model();
  model.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_EQ(model.optimizer().name(), "loss_scale_optimizer");
  EXPECT_NEAR(model.optimizer().learning_rate(), 0.01, 1e-7);
  model.compile({.optimizer = "sgd", .loss = "mse", .auto_scale_loss = false});
  EXPECT_EQ(model.optimizer().name().find("loss_scale"), std::string::npos);
  const optimizers::LossScaleOptimizer own({.inner_optimizer = "sgd", .name = "mine"});
  model.compile({.optimizer = own, .loss = "mse"});
  EXPECT_EQ(model.optimizer().name(), "mine");
}

TEST(LossScaleOptimizer, SkipsAStepThatOverflowsAndHalvesTheScale) {
  for (const char* inner : {"sgd", "adam", "nadam"}) {
    Variable w({1.f, 2.f}), v(Tensor(3.f));
    const optimizers::LossScaleOptimizer optimizer({.inner_optimizer = inner});
    const Tensor scaled = Tensor({32768.f, 0.f});
    optimizer.apply({scaled, Tensor(32768.f)}, {w, v});
    const std::vector<Tensor> before = values_of(optimizer->core().variables());
    const Tensor w_before = w.value();
    optimizer.apply({scaled, infinite(v.spec())}, {w, v});
    optimizer.apply({Tensor({NAN, 0.f}), Tensor(1.f)}, {w, v});
    expect_same(w.value(), w_before);
    expect_same(values_of(optimizer->core().variables()), before, 0);
    EXPECT_EQ(optimizer->dynamic_scale().value().item<float>(), 8192.f);
    EXPECT_EQ(optimizer.iterations().value().item<int64_t>(), 1);
    optimizer.apply({scaled, Tensor(1.f)}, {w, v});
    EXPECT_EQ(optimizer.iterations().value().item<int64_t>(), 2);
    EXPECT_EQ(optimizer->step_counter().value().item<int64_t>(), 1);
  }
}

TEST(LossScaleOptimizer, DividesGradientsByItsScale) {
  Variable w({1.f, 2.f});
  const optimizers::LossScaleOptimizer optimizer(
      {.inner_optimizer = optimizers::SGD({.learning_rate = 0.5, .loss_scale_factor = 4}),
       .initial_scale = 1024});
  EXPECT_EQ(optimizer.scale_loss(Tensor(2.f)).item<float>(), 2048.f);
  EXPECT_EQ(optimizer.scale_loss(cast(Tensor(200.f), float16)).item<float>(), 204800.f);
  optimizer.apply({Tensor({1024.f, 2048.f})}, {w});
  expect_equal(w, {{2}, {0.5, 1}}, float32);
}

TEST(LossScaleOptimizer, DoublesAfterEnoughGoodSteps) {
  Variable w({1.f});
  const optimizers::LossScaleOptimizer optimizer(
      {.inner_optimizer = "sgd", .initial_scale = 4, .dynamic_growth_steps = 3});
  const auto scale_after = [&](float gradient) {
    optimizer.apply({Tensor({gradient})}, {w});
    return optimizer->dynamic_scale().value().item<float>();
  };
  EXPECT_EQ(scale_after(1), 4);
  EXPECT_EQ(scale_after(1), 4);
  EXPECT_EQ(scale_after(1), 8);
  EXPECT_EQ(scale_after(1), 8);
  EXPECT_EQ(scale_after(INFINITY), 4);
  EXPECT_EQ(scale_after(1), 4);
  EXPECT_EQ(scale_after(1), 4);
  EXPECT_EQ(scale_after(1), 8);
}

TEST(LossScaleOptimizer, RunsCompiledAsEagerly) {
  for (const bool accumulates : {false, true}) {
    std::vector<Tensor> results[2];
    for (const bool compiled : {false, true}) {
      Variable w({1.f, 2.f});
      const auto inner = optimizers::Adam(
          {.learning_rate = optimizers::schedules::ExponentialDecay(
               {.initial_learning_rate = 0.1, .decay_steps = 1, .decay_rate = 0.5}),
           .clipnorm = 1.0,
           .use_ema = true});
      const auto waiting = optimizers::Adam({.gradient_accumulation_steps = 2});
      const optimizers::LossScaleOptimizer optimizer(
          {.inner_optimizer = accumulates ? Optimizer(waiting) : Optimizer(inner)});
      optimizer.build({w});
      const auto step = [&](const Tensor& gradient) {
        optimizer.apply({gradient}, {w});
        optimizer.apply({gradient * 0.5f}, {w});
        return w.value();
      };
      const auto traced = alula::function(step);
      for (const float g : {30000.f, INFINITY, -2000.f, 100.f}) {
        const Tensor gradient({g, 1.f});
        results[compiled].push_back(compiled ? traced(gradient) : step(gradient));
      }
      for (const Tensor& value : values_of(optimizer.variables()))
        results[compiled].push_back(value);
    }
    expect_same(results[0], results[1], 1e-6);
  }
}

/// Steps of an optimizer with a loss scale on a device, by one list, or on the CPU, eagerly.
static std::vector<Tensor> scaled_steps(const Optimizer& inner, Device device) {
  const DeviceScope scope(device);
  Variable w({1.f, 2.f});
  const optimizers::LossScaleOptimizer optimizer({.inner_optimizer = inner});
  optimizer.build({w});
  const auto step = [&](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    optimizer.apply({in[0]}, {w});
    return {w.value()};
  };
  graph::Compiled compiled(graph::trace(step, std::vector<Spec>{w.spec()}), {}, device);
  EXPECT_TRUE(device.is_cpu() || compiled.gains_by_repeating()) << inner.name();
  std::vector<Tensor> results;
  for (const float g : {30000.f, INFINITY, -2000.f, 100.f, 500.f, -10000.f}) {
    const Tensor gradient({g, 1.f});
    const Tensor* refs[] = {&gradient};
    results.push_back(device.is_cpu() ? step({gradient})[0] : compiled.run(TensorRefs(refs))[0]);
  }
  for (const Tensor& value : values_of(optimizer.variables())) results.push_back(value);
  return results;
}

TEST(LossScaleOptimizer, IsOneListOfKernelsOnADevice) {
  sim();
  const std::function<Optimizer()> kinds[] = {
      [] { return "sgd"; }, [] { return "adam"; },
      [] { return optimizers::AdamW({.weight_decay = 0.1, .amsgrad = true, .clipnorm = 1.0}); },
      [] { return optimizers::Adamax({.gradient_accumulation_steps = 2}); },
      [] { return optimizers::RMSprop({.use_ema = true, .ema_overwrite_frequency = 3}); }};
  for (const Device& device : config::list_physical_devices()) {
    if (device.is_cpu()) continue;
    SCOPED_TRACE(to_string(device));
    for (const auto& kind : kinds)
      expect_same(scaled_steps(kind(), device), scaled_steps(kind(), kCPU), 1e-5);
  }
}

TEST(LossScaleOptimizer, AModelTrainsThroughAnOverflow) {
  const Known known;
  const Under policy("mixed_float16");
  for (const bool eagerly : {false, true}) {
    const Sequential model = known.model();
    model.compile({.optimizer = "sgd", .loss = "mse", .run_eagerly = eagerly});
    Said said;
    model.train_on_batch(known.x, known.y);
    const std::vector<Tensor> before = model.get_weights();
    model.train_on_batch(known.x, fill({6, 1}, 1e30));  // its gradients are too large for float16
    expect_same(model.get_weights(), before, 0);
    const auto& impl =
        static_cast<const optimizers::LossScaleOptimizerImpl&>(model.optimizer().impl());
    EXPECT_EQ(impl.dynamic_scale().value().item<float>(), 16384.f);
    EXPECT_EQ(model.optimizer().iterations().value().item<int64_t>(), 1);
    model.train_on_batch(known.x, known.y);
    EXPECT_EQ(model.optimizer().iterations().value().item<int64_t>(), 2);
    EXPECT_TRUE(said.texts.empty()) << said.texts[0];
  }
}

TEST(LossScaleOptimizer, SaysWhatIsWrong) {
  using optimizers::LossScaleOptimizer;
  EXPECT_ERROR(LossScaleOptimizer(), InvalidArgumentError, "inside is missing");
  const LossScaleOptimizer one({.inner_optimizer = "sgd"});
  EXPECT_ERROR(LossScaleOptimizer({.inner_optimizer = one}), InvalidArgumentError, "already");
  EXPECT_ERROR(LossScaleOptimizer({.inner_optimizer = "sgd", .initial_scale = 0}),
               InvalidArgumentError, "initial_scale");
  EXPECT_ERROR(LossScaleOptimizer({.inner_optimizer = "sgd", .dynamic_growth_steps = 0}),
               InvalidArgumentError, "dynamic_growth_steps");
}

TEST(Optimizer, ScalesTheLossByItsFactorInTraining) {
  const Known known;
  std::vector<Tensor> weights[2];
  for (const bool scales : {false, true}) {
    const Sequential model = known.model();
    optimizers::SGD::Options options{.learning_rate = 0.1};
    if (scales) options.loss_scale_factor = 1024;
    model.compile({.optimizer = optimizers::SGD(options), .loss = "mse"});
    model.train_on_batch(known.x, known.y);
    weights[scales] = model.get_weights();
  }
  expect_same(weights[0], weights[1], 1e-5);
}
