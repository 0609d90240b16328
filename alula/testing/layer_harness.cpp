#include "alula/testing/layer_harness.h"

#include <cmath>

#include "alula/autograd/tape.h"
#include "alula/keras/input.h"
#include "alula/keras/names.h"
#include "alula/ops/cast.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/runtime/devices.h"

namespace alula::testing {
namespace {

using keras::CallOptions;
using keras::Layer;

Tensor call_layer(const Layer& layer, const std::vector<Tensor>& inputs, bool training = false) {
  const CallOptions options{.training = training};
  return inputs.size() == 1 ? layer(inputs[0], options) : layer(inputs, options);
}

std::vector<Tensor> random_inputs(const LayerCheck& check) {
  std::vector<Tensor> inputs;
  for (const Spec& spec : check.inputs) inputs.push_back(random_tensor(spec, check.range));
  return inputs;
}

std::string text(const Spec& spec) { return to_string(spec); }

void expect_same(const Tensor& actual, const Tensor& expected, double relative = 0) {
  expect_equal(actual, to_array(expected), expected.dtype(), {.relative = relative});
}

void check_names(const std::function<Layer()>& make, const LayerCheck& check) {
  keras::backend::clear_session();
  EXPECT_EQ(make().name(), check.name);
  EXPECT_EQ(make().name(), check.name + "_1");
}

/// The output is known before there is an input, the batch's size being open.
void check_symbolic(const Layer& layer, const LayerCheck& check) {
  std::vector<Tensor> inputs;
  for (const Spec& spec : check.inputs)
    inputs.push_back(
        keras::Input({.shape = spec.shape.slice(1, spec.shape.rank()), .dtype = spec.dtype}));
  for (bool training : {false, true}) {
    const Tensor y = call_layer(layer, inputs, training);
    EXPECT_TRUE(y.is_symbolic());
    EXPECT_EQ(text(y.spec()), text(check.output.with(check.output.shape.with(0, kUnknown))));
  }
}

void check_calls(const Layer& layer, const LayerCheck& check) {
  const std::vector<Tensor> inputs = random_inputs(check);
  const Tensor y = call_layer(layer, inputs);
  EXPECT_EQ(text(y.spec()), text(check.output));
  expect_same(call_layer(layer, inputs), y);
  EXPECT_EQ(text(call_layer(layer, inputs, true).spec()), text(check.output));

  std::vector<Tensor> wide;
  for (const Tensor& input : inputs)
    wide.push_back(is_floating(input.dtype()) ? cast(input, float64) : input);
  EXPECT_EQ(text(call_layer(layer, wide).spec()), text(check.output)) << "of float64";

  std::vector<Tensor> empty;
  for (const Spec& spec : check.inputs)
    empty.push_back(random_tensor(spec.with(spec.shape.with(0, 0))));
  for (bool training : {false, true})
    EXPECT_EQ(text(call_layer(layer, empty, training).spec()),
              text(check.output.with(check.output.shape.with(0, 0))))
        << "of an empty batch";
  for (const Tensor& weight : layer.get_weights())
    for (double value : to_array(weight).values)
      EXPECT_TRUE(std::isfinite(value)) << "after an empty batch";
}

void check_params(const Layer& layer, const LayerCheck& check) {
  EXPECT_EQ(layer.count_params(), check.params);
  int64_t trained = 0;
  for (const Variable& weight : layer.trainable_variables()) trained += weight.size();
  EXPECT_EQ(trained, check.trainable_params >= 0 ? check.trainable_params : check.params);
}

/// Every weight that is trained gets a gradient, and every floating input does.
void check_training(const Layer& layer, const LayerCheck& check) {
  if (!is_floating(check.output.dtype)) return;
  const std::vector<Tensor> inputs = random_inputs(check);
  const Tensor r = random_tensor(check.output);
  GradientTape tape({.persistent = true});
  for (const Tensor& input : inputs)
    if (is_floating(input.dtype())) tape.watch(input);
  const Tensor loss = reduce_sum(call_layer(layer, inputs, true) * r);
  const std::vector<Variable> weights = layer.trainable_variables();
  const std::vector<Tensor> found = tape.gradient(loss, weights);
  for (size_t i = 0; i < weights.size(); ++i) {
    ASSERT_TRUE(found[i].defined()) << weights[i].name() << " has no gradient";
    EXPECT_EQ(text(found[i].spec()), text(weights[i].spec()));
  }
  for (const Tensor& input : inputs) {
    if (!check.floating_gradient || !is_floating(input.dtype())) continue;
    EXPECT_TRUE(tape.gradient(loss, input).defined()) << "an input has no gradient";
  }
}

/// A frozen layer has nothing to train.
void check_frozen(const Layer& layer, const LayerCheck& check) {
  layer.set_trainable(false);
  EXPECT_TRUE(layer.trainable_variables().empty());
  EXPECT_EQ(layer.non_trainable_variables().size(), layer.weights().size());
  if (is_floating(check.output.dtype)) {
    GradientTape tape;
    const Tensor y = call_layer(layer, random_inputs(check), true);
    for (const Tensor& gradient : tape.gradient(y, layer.weights()))
      EXPECT_FALSE(gradient.defined()) << "a frozen weight has a gradient";
  }
  layer.set_trainable(true);
  check_params(layer, check);
}

void check_weights(const Layer& layer, const LayerCheck& check) {
  const std::vector<Tensor> inputs = random_inputs(check);
  const Tensor before = call_layer(layer, inputs);
  const std::vector<Tensor> values = layer.get_weights();
  std::vector<Tensor> others;
  for (const Tensor& value : values) others.push_back(random_tensor(value.spec(), {0.5, 1.5}));
  layer.set_weights(others);
  for (size_t i = 0; i < values.size(); ++i) expect_same(layer.get_weights()[i], others[i]);
  const Tensor changed = call_layer(layer, inputs);
  layer.set_weights(values);
  expect_same(call_layer(layer, inputs), before);

  const Layer copy(layer.impl().copy());
  EXPECT_EQ(copy.name(), layer.name());
  EXPECT_EQ(copy.impl().class_name(), layer.impl().class_name());
  EXPECT_TRUE(copy.weights().empty()) << "a copy makes its own weights";
  (void)call_layer(copy, inputs);
  ASSERT_EQ(copy.weights().size(), values.size());
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_FALSE(copy.weights()[i].same_as(layer.weights()[i]));
  copy.set_weights(others);
  expect_same(call_layer(copy, inputs), changed);
}

/// The same on every device, with the weights there.
void check_devices(const Layer& layer, const LayerCheck& check) {
  const std::vector<Tensor> inputs = random_inputs(check);
  const Tensor expected = call_layer(layer, inputs);
  const std::vector<Tensor> weights = layer.get_weights();
  for (Device device : test_devices()) {
    SCOPED_TRACE(to_string(device));
    const DeviceScope scope(device);
    std::vector<Tensor> there;
    for (const Tensor& input : inputs) there.push_back(input.to(device));
    for (size_t i = 0; i < weights.size(); ++i)
      layer.weights()[i].storage() = weights[i].to(device);
    const Tensor y = call_layer(layer, there);
    EXPECT_EQ(y.device(), device);
    expect_same(y, expected, device.type == DeviceType::kGPU ? 1e-5 : 0);
    EXPECT_EQ(call_layer(layer, there, true).device(), device);
  }
  for (Variable weight : layer.weights()) weight.storage() = weight.value().cpu();
}

}  // namespace

void check_layer(const std::function<Layer()>& make, const LayerCheck& check) {
  SCOPED_TRACE(check.name);
  check_names(make, check);
  check_symbolic(make(), check);
  const Layer layer = make();
  check_calls(layer, check);
  check_params(layer, check);
  check_training(layer, check);
  check_frozen(layer, check);
  check_weights(layer, check);
  check_devices(layer, check);
}

namespace {

/// A case's tensors, by what follows its key.
class CaseTensors {
 public:
  CaseTensors(const io::SafeTensors& file, std::string key) : file_(file), key_(std::move(key)) {}
  Tensor find(const std::string& name) const {
    for (const io::NamedTensor& named : file_.tensors)
      if (named.name == key_ + "/" + name) return named.tensor;
    return Tensor();
  }
  /// K/input, or K/input/0, K/input/1, …
  std::vector<Tensor> all(const std::string& name) const {
    if (const Tensor one = find(name); one.defined()) return {one};
    std::vector<Tensor> several;
    for (Tensor next = find(name + "/0"); next.defined();
         next = find(fmt::format("{}/{}", name, several.size())))
      several.push_back(next);
    return several;
  }

 private:
  const io::SafeTensors& file_;
  std::string key_;
};

double norm(const Array& array) {
  double sum = 0;
  for (double value : array.values) sum += value * value;
  return std::sqrt(sum);
}

/// Whether the difference is at most 1e-5 of the norm.
void expect_near_by_norm(const Tensor& actual, const Tensor& expected, const std::string& what) {
  SCOPED_TRACE(what);
  ASSERT_TRUE(actual.defined()) << "there is none";
  ASSERT_EQ(to_string(actual.spec()), to_string(expected.spec()));
  const Array a = to_array(actual), b = to_array(expected);
  Array difference(a.shape);
  for (int64_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a.values[i]) && std::isnan(b.values[i])) continue;
    difference.values[i] = a.values[i] == b.values[i] ? 0 : a.values[i] - b.values[i];
  }
  EXPECT_LE(norm(difference), 1e-5 * (norm(b) + 1e-6))
      << "is " << fmt::format("{}, not {}", actual, expected);
}

}  // namespace

void check_against_keras(const io::SafeTensors& reference, const io::Json& one,
                         const KerasCheck& check) {
  const std::string& key = one.at("key").as_string();
  SCOPED_TRACE(key);
  const CaseTensors tensors(reference, key);
  const io::Json* training = one.find("training");
  const io::Json* trainable = one.find("trainable");
  const Layer layer = layer_from_config(one.at("class").as_string(), one.at("config"));
  const std::vector<Tensor> inputs = tensors.all("input");
  (void)call_layer(layer, inputs);
  if (trainable != nullptr) layer.set_trainable(trainable->as_bool());
  for (Variable weight : layer.weights()) weight.assign(tensors.find("weight/" + weight.name()));

  GradientTape tape({.persistent = true});
  for (const Tensor& input : inputs)
    if (is_floating(input.dtype())) tape.watch(input);
  const Tensor y = call_layer(layer, inputs, training != nullptr && training->as_bool());
  const Tensor expected = tensors.find("output");
  expect_equal(y, to_array(expected), expected.dtype(), {.relative = 1e-5});
  for (const Variable& weight : layer.weights())
    if (const Tensor after = tensors.find("after/" + weight.name()); after.defined())
      expect_equal(weight.value(), to_array(after), float32, {.relative = 1e-5});

  if (!check.gradients) return;
  const Tensor loss = reduce_sum(y * tensors.find("r"));
  for (const Variable& weight : layer.trainable_variables())
    expect_near_by_norm(tape.gradient(loss, weight), tensors.find("grad/weight/" + weight.name()),
                        "gradient of " + weight.name());
  const std::vector<Tensor> by_input = tensors.all("grad/input");
  for (size_t i = 0; i < by_input.size(); ++i)
    expect_near_by_norm(tape.gradient(loss, inputs[i]), by_input[i],
                        fmt::format("gradient of input {}", i));
}

}  // namespace alula::testing
