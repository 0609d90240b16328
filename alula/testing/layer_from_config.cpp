// Layers from Keras's configurations, as the reference values name them.
#include "alula/keras/layers.h"
#include "alula/keras/words.h"
#include "alula/testing/layer_harness.h"

namespace alula::testing {
namespace {

using namespace keras;  // NOLINT
using io::Json;

/// A configuration whose members may be missing.
class Config {
 public:
  explicit Config(const Json& json) : json_(json) {}
  bool has(const char* key) const { return json_.find(key) != nullptr; }
  int64_t integer(const char* key) const { return json_.at(key).as_integer(); }
  double number(const char* key) const { return json_.at(key).as_number(); }
  bool flag(const char* key) const { return json_.at(key).as_bool(); }
  const std::string& word(const char* key) const { return json_.at(key).as_string(); }
  std::vector<int64_t> integers(const char* key) const { return integers(json_.at(key)); }
  Size2 size(const char* key) const {
    const std::vector<int64_t> both = integers(key);
    return {both.at(0), both.at(1)};
  }
  const Json& at(const char* key) const { return json_.at(key); }
  static std::vector<int64_t> integers(const Json& list) {
    std::vector<int64_t> values;
    for (const Json& value : list.as_array()) values.push_back(value.as_integer());
    return values;
  }

 private:
  const Json& json_;
};

/// A word, and for some functions an option of theirs.
keras::Activation activation_of(const Config& config) {
  const std::string& word = config.word("activation");
  if (config.has("approximate"))
    return [](const Tensor& x) { return activations::gelu(x, {.approximate = true}); };
  if (config.has("axis"))
    return
        [axis = config.integer("axis")](const Tensor& x) { return activations::softmax(x, axis); };
  if (config.has("alpha"))
    return [word, alpha = config.number("alpha")](const Tensor& x) {
      return word == "elu" ? activations::elu(x, alpha) : activations::celu(x, alpha);
    };
  if (word == "leaky_relu" && config.has("negative_slope"))
    return [slope = config.number("negative_slope")](const Tensor& x) {
      return activations::leaky_relu(x, slope);
    };
  if (word != "relu") return word;
  activations::ReluOptions options;
  if (config.has("negative_slope")) options.negative_slope = config.number("negative_slope");
  if (config.has("max_value")) options.max_value = config.number("max_value");
  if (config.has("threshold")) options.threshold = config.number("threshold");
  return [options](const Tensor& x) { return activations::relu(x, options); };
}

Layer dense(const Config& config) {
  return layers::Dense({.units = config.integer("units"),
                        .activation = config.word("activation"),
                        .use_bias = config.flag("use_bias"),
                        .kernel_initializer = config.word("kernel_initializer"),
                        .bias_initializer = config.word("bias_initializer")});
}

Layer conv2d_layer(const Config& config) {
  return layers::Conv2D({.filters = config.integer("filters"),
                         .kernel_size = config.size("kernel_size"),
                         .strides = config.size("strides"),
                         .padding = std::string_view(config.word("padding")),
                         .data_format = config.word("data_format"),
                         .dilation_rate = config.size("dilation_rate"),
                         .groups = config.integer("groups"),
                         .activation = config.word("activation"),
                         .use_bias = config.flag("use_bias"),
                         .kernel_initializer = config.word("kernel_initializer"),
                         .bias_initializer = config.word("bias_initializer")});
}

template <class Pooling>
Layer pooling(const Config& config) {
  return Pooling({.pool_size = config.size("pool_size"),
                  .strides = config.size("strides"),
                  .padding = std::string_view(config.word("padding")),
                  .data_format = config.word("data_format")});
}

template <class Pooling>
Layer global_pooling(const Config& config) {
  return Pooling({.data_format = config.word("data_format"), .keepdims = config.flag("keepdims")});
}

Layer zero_padding(const Config& config) {
  const Json::Array& padding = config.at("padding").as_array();
  const std::vector<int64_t> rows = Config::integers(padding.at(0));
  const std::vector<int64_t> columns = Config::integers(padding.at(1));
  return layers::ZeroPadding2D({.padding = {{rows[0], rows[1]}, {columns[0], columns[1]}},
                                .data_format = config.word("data_format")});
}

Layer batch_normalization(const Config& config) {
  return layers::BatchNormalization(
      {.axis = config.integer("axis"),
       .momentum = config.number("momentum"),
       .epsilon = config.number("epsilon"),
       .center = config.flag("center"),
       .scale = config.flag("scale"),
       .beta_initializer = config.word("beta_initializer"),
       .gamma_initializer = config.word("gamma_initializer"),
       .moving_mean_initializer = config.word("moving_mean_initializer"),
       .moving_variance_initializer = config.word("moving_variance_initializer")});
}

Layer layer_normalization(const Config& config) {
  return layers::LayerNormalization({.axis = config.integers("axis"),
                                     .epsilon = config.number("epsilon"),
                                     .center = config.flag("center"),
                                     .scale = config.flag("scale"),
                                     .beta_initializer = config.word("beta_initializer"),
                                     .gamma_initializer = config.word("gamma_initializer")});
}

Layer embedding(const Config& config) {
  return layers::Embedding({.input_dim = config.integer("input_dim"),
                            .output_dim = config.integer("output_dim"),
                            .embeddings_initializer = config.word("embeddings_initializer"),
                            .mask_zero = config.flag("mask_zero")});
}

Layer relu_layer(const Config& config) {
  return layers::ReLU({.max_value = config.has("max_value")
                                        ? Setting<double>(config.number("max_value"))
                                        : Setting<double>(),
                       .negative_slope = config.number("negative_slope"),
                       .threshold = config.number("threshold")});
}

template <class Plain>
Layer plain(const Config&) {
  return Plain();
}

constexpr Word<Layer (*)(const Config&)> kClasses[] = {
    {"Activation",
     [](const Config& c) -> Layer { return layers::Activation({.activation = activation_of(c)}); }},
    {"Add", plain<layers::Add>},
    {"Average", plain<layers::Average>},
    {"AveragePooling2D", pooling<layers::AveragePooling2D>},
    {"BatchNormalization", batch_normalization},
    {"Concatenate",
     [](const Config& c) -> Layer { return layers::Concatenate({.axis = c.integer("axis")}); }},
    {"Conv2D", conv2d_layer},
    {"Dense", dense},
    {"Dropout",
     [](const Config& c) -> Layer { return layers::Dropout({.rate = c.number("rate")}); }},
    {"ELU", [](const Config& c) -> Layer { return layers::ELU({.alpha = c.number("alpha")}); }},
    {"Embedding", embedding},
    {"Flatten", plain<layers::Flatten>},
    {"GlobalAveragePooling2D", global_pooling<layers::GlobalAveragePooling2D>},
    {"GlobalMaxPooling2D", global_pooling<layers::GlobalMaxPooling2D>},
    {"LayerNormalization", layer_normalization},
    {"LeakyReLU",
     [](const Config& c) -> Layer {
       return layers::LeakyReLU({.negative_slope = c.number("negative_slope")});
     }},
    {"MaxPooling2D", pooling<layers::MaxPooling2D>},
    {"Maximum", plain<layers::Maximum>},
    {"Minimum", plain<layers::Minimum>},
    {"Multiply", plain<layers::Multiply>},
    {"Permute",
     [](const Config& c) -> Layer { return layers::Permute({.dims = c.integers("dims")}); }},
    {"ReLU", relu_layer},
    {"Rescaling",
     [](const Config& c) -> Layer {
       return layers::Rescaling({.scale = c.number("scale"), .offset = c.number("offset")});
     }},
    {"Reshape",
     [](const Config& c) -> Layer {
       return layers::Reshape({.target_shape = Shape(c.integers("target_shape"))});
     }},
    {"Softmax",
     [](const Config& c) -> Layer { return layers::Softmax({.axis = c.integer("axis")}); }},
    {"Subtract", plain<layers::Subtract>},
    {"ZeroPadding2D", zero_padding},
};

}  // namespace

Layer layer_from_config(const std::string& class_name, const Json& config) {
  return look_up("layer", class_name, kClasses)(Config(config));
}

}  // namespace alula::testing
