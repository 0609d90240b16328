#include "alula/keras/summary.h"

#include <cstdlib>
#include <optional>

#include <gtest/gtest.h>

#include "alula/io/file.h"
#include "alula/keras/layers.h"
#include "alula/keras/model.h"
#include "alula/keras/names.h"
#include "alula/keras/output_test.h"
#include "alula/ops/fill.h"
#include "alula/testing/harness.h"
#include "alula/testing/test_data.h"

using namespace alula;
using namespace alula::keras;

namespace {

/// What Keras printed.
std::string golden(const std::string& name) {
  return io::read_file(alula::testing::test_data("keras_reference/text/summary_" + name + ".txt"));
}

/// Each test starts the numbers of names again, and prints into a file.
class Summary : public ::testing::Test {
 protected:
  Summary() {
    backend::clear_session();
    unsetenv("COLUMNS");
  }
  ~Summary() override { unsetenv("COLUMNS"); }
  CapturedOutput output_;
};

std::shared_ptr<SequentialImpl> sequential(std::vector<Layer> layers) {
  auto model = std::make_shared<SequentialImpl>(std::move(layers), "");
  model->set_class(typeid(SequentialImpl));
  return model;
}

std::shared_ptr<SequentialImpl> mlp() {
  return sequential({Input({.shape = {100}}), layers::Dense({.units = 128, .activation = "relu"}),
                     layers::Dense({.units = 10, .activation = "softmax"})});
}

std::shared_ptr<SequentialImpl> mnist_cnn() {
  return sequential({Input({.shape = {28, 28, 1}}),
                     layers::Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"}),
                     layers::MaxPooling2D({.pool_size = 2}), layers::Flatten(),
                     layers::Dense({.units = 10, .activation = "softmax"})});
}

std::shared_ptr<FunctionalImpl> functional(const TensorList& inputs, const TensorList& outputs) {
  auto model = std::make_shared<FunctionalImpl>(inputs, outputs, "");
  model->set_class(typeid(FunctionalImpl));
  return model;
}

Tensor conv(const Tensor& x, int64_t filters, int64_t size, int64_t strides, bool then_relu) {
  Tensor y = layers::Conv2D({.filters = filters,
                             .kernel_size = size,
                             .strides = strides,
                             .padding = "same",
                             .use_bias = false})(x);
  y = layers::BatchNormalization()(y);
  return then_relu ? layers::Activation({.activation = "relu"})(y) : y;
}

Tensor residual_block(const Tensor& x, int64_t filters, int64_t strides) {
  const Tensor y = conv(conv(x, filters, 3, strides, true), filters, 3, 1, false);
  const Tensor shortcut = strides == 1 ? x : conv(x, filters, 1, strides, false);
  return layers::Activation({.activation = "relu"})(layers::Add()({y, shortcut}));
}

std::shared_ptr<FunctionalImpl> resnet() {
  const Tensor input = Input({.shape = {28, 28, 1}});
  Tensor x = conv(input, 16, 3, 2, true);
  x = residual_block(residual_block(x, 16, 1), 32, 2);
  x = layers::GlobalAveragePooling2D()(x);
  return functional(input, layers::Dense({.units = 10, .activation = "softmax"})(x));
}

/// Two inputs, a layer that both share, a model within the model, and a frozen layer.
std::shared_ptr<FunctionalImpl> branching() {
  const Tensor first = Input({.shape = {4}, .name = "first"});
  const Tensor second = Input({.shape = {4}, .name = "an_input_with_quite_a_long_name"});
  const layers::Dense shared({.units = 3});
  const Tensor joined = layers::Concatenate()({shared(first), shared(second), second});
  const Layer nested(
      sequential({layers::Dense({.units = 2, .activation = "relu"}), layers::Dense({.units = 3})}));
  const layers::Dense frozen({.units = 5, .trainable = false});
  return functional({first, second}, frozen(nested(joined)));
}

std::shared_ptr<FunctionalImpl> two_outputs() {
  const Tensor input = Input({.shape = {8, 8, 3}});
  Tensor x = layers::Conv2D({.filters = 4, .kernel_size = 3})(input);
  x = layers::Flatten()(layers::Dropout({.rate = 0.5})(x));
  return functional(input, {layers::Dense({.units = 2, .name = "a"})(x),
                            layers::Dense({.units = 1, .name = "b"})(x)});
}

TEST_F(Summary, Chains) {
  EXPECT_EQ(summary_text(*mlp()), golden("mlp"));
  backend::clear_session();
  EXPECT_EQ(summary_text(*mnist_cnn()), golden("mnist_cnn"));
  backend::clear_session();
  EXPECT_EQ(summary_text(*sequential({layers::Dense({.units = 2}), layers::Flatten()})),
            golden("unbuilt"));
}

TEST_F(Summary, Branches) {
  EXPECT_EQ(summary_text(*resnet()), golden("resnet"));
  backend::clear_session();
  EXPECT_EQ(summary_text(*branching()), golden("branching"));
  backend::clear_session();
  EXPECT_EQ(summary_text(*two_outputs()), golden("two_outputs"));
}

TEST_F(Summary, WideTerminals) {
  setenv("COLUMNS", "120", 1);
  EXPECT_EQ(summary_text(*mnist_cnn()), golden("mnist_cnn_wide"));
  backend::clear_session();
  EXPECT_EQ(summary_text(*resnet()), golden("resnet_wide"));
  backend::clear_session();
  EXPECT_EQ(summary_text(*branching(), {.expand_nested = true, .show_trainable = true}),
            golden("branching_nested_trainable"));
}

TEST_F(Summary, BuiltByACall) {
  const Layer model(sequential({layers::Dense({.units = 3}), layers::Dense({.units = 2})}));
  model(ones({5, 4}));
  EXPECT_EQ(summary_text(static_cast<ModelImpl&>(model.impl())), golden("called"));
}

struct SubclassedImpl : ModelImpl {
  layers::Dense first{{.units = 3}}, second{{.units = 2}};
  SubclassedImpl() : ModelImpl({.name = "subclassed"}) { track(first, second); }
  Tensor call(const Tensor& x) override { return second(first(x)); }
};

TEST_F(Summary, Subclassed) {
  const LayerOf<SubclassedImpl> model;
  model(ones({5, 4}));
  EXPECT_EQ(summary_text(static_cast<ModelImpl&>(model.impl())), golden("subclassed"));
}

TEST_F(Summary, Trained) {
  const Sequential model({Input({.shape = {4}}), layers::Dense({.units = 8}),
                          layers::BatchNormalization(), layers::Dense({.units = 1})});
  model.compile({.optimizer = "adam", .loss = "mse"});
  model.fit(ones({4, 4}), ones({4, 1}), {.verbose = 0});
  EXPECT_EQ(summary_text(model.impl()), golden("trained"));
  EXPECT_EQ(summary_text(model.impl(), {.show_trainable = true}), golden("trained_trainable"));
}

TEST_F(Summary, IsCutToTheOutput) {
  setenv("COLUMNS", "60", 1);
  const std::string text = summary_text(*mlp(), {.line_length = 76});
  std::string expected;  // the same, but for the ends of the table's lines
  const std::string whole = golden("mlp");
  for (size_t begin = 0; begin < whole.size();) {
    const size_t end = whole.find('\n', begin);
    std::string line = whole.substr(begin, end - begin);
    while (std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; }) > 60)
      line.pop_back();
    // A character of several bytes goes as a whole.
    expected += line + "\n";
    begin = end + 1;
  }
  EXPECT_EQ(text.size(), expected.size());
  EXPECT_EQ(text, expected);
}

TEST_F(Summary, NarrowTerminals) {
  setenv("COLUMNS", "3", 1);
  EXPECT_NE(summary_text(*mlp()).find("Total params: 14,218 (55.54 KB)"), std::string::npos);
  setenv("COLUMNS", "not a number", 1);  // as if it were not there
  EXPECT_EQ(summary_text(*mlp()).find("Model: \"sequential_1\"\n┏━━━━━━━━"), 0U);
  EXPECT_ERROR(summary_text(*mlp(), {.line_length = 5}), InvalidArgumentError,
               "line_length must be from 40 to 10000. Got 5.");
}

}  // namespace
