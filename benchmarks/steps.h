#pragma once
// The steps that benchmarks/steps.json describes, in Keras's words: what Alula and its peers run.
#include <algorithm>
#include <string>
#include <vector>

#include "alula/alula.h"
#include "alula/io/file.h"
#include "alula/io/json.h"

namespace alula::benchmarks {

inline int64_t integer_of(const io::Json& json, const char* key, int64_t otherwise) {
  const io::Json* found = json.find(key);
  return found == nullptr ? otherwise : found->as_integer();
}

inline std::string word_of(const io::Json& json, const char* key, const char* otherwise) {
  const io::Json* found = json.find(key);
  return found == nullptr ? otherwise : found->as_string();
}

inline keras::Layer layer_of(const io::Json& json) {
  namespace layers = keras::layers;
  const std::string& kind = json.at("class").as_string();
  const std::string padding = word_of(json, "padding", "valid");
  const std::string activation = word_of(json, "activation", "linear");
  if (kind == "Dense")
    return layers::Dense({.units = json.at("units").as_integer(), .activation = activation});
  if (kind == "Conv2D")
    return layers::Conv2D({.filters = json.at("filters").as_integer(),
                           .kernel_size = json.at("kernel_size").as_integer(),
                           .strides = integer_of(json, "strides", 1),
                           .padding = std::string_view(padding),
                           .activation = activation});
  const int64_t pool_size = integer_of(json, "pool_size", 2);
  const int64_t strides = integer_of(json, "strides", pool_size);
  if (kind == "MaxPooling2D")
    return layers::MaxPooling2D(
        {.pool_size = pool_size, .strides = strides, .padding = std::string_view(padding)});
  if (kind == "AveragePooling2D")
    return layers::AveragePooling2D(
        {.pool_size = pool_size, .strides = strides, .padding = std::string_view(padding)});
  if (kind == "Flatten") return layers::Flatten();
  if (kind == "Activation") return layers::Activation({.activation = activation});
  if (kind == "BatchNormalization") return layers::BatchNormalization();
  if (kind == "Dropout") return layers::Dropout({.rate = json.at("rate").as_number()});
  throw NotFoundError("steps.json: the benchmarks know no layer of class " + kind + ".");
}

/// One row of the table: a model, a batch size, and what is done.
struct Step {
  std::string name;
  std::string kind;  // train, inference, tracing, empty_call
  io::Json model;    // null for an empty call
  int64_t batch = 0;
  int64_t inputs = 0;  // of an empty call

  Shape input_shape(int64_t count) const {
    std::vector<int64_t> dims{count};
    for (const io::Json& size : model.at("input").as_array()) dims.push_back(size.as_integer());
    return Shape(dims);
  }

  keras::Sequential make_model() const {
    std::vector<keras::Layer> layers;
    for (const io::Json& layer : model.at("layers").as_array()) layers.push_back(layer_of(layer));
    keras::Sequential result(std::move(layers));
    result(zeros(input_shape(1)));  // makes the weights
    return result;
  }

  /// How many different batches there are: 16 MiB of them, so that a step finds its data as cold
  /// as in real training, between 4 and 100. Peers do the same.
  int64_t batches() const {
    const int64_t bytes = input_shape(batch).size() * static_cast<int64_t>(sizeof(float));
    return std::clamp<int64_t>((int64_t{16} << 20) / bytes, 4, 100);
  }
};

inline std::vector<Step> read_steps(const std::string& path) {
  const io::Json file = io::Json::parse(io::read_file(path), path);
  std::vector<Step> steps;
  for (const io::Json& json : file.at("steps").as_array()) {
    Step step{.name = json.at("name").as_string(),
              .kind = word_of(json, "kind", "train"),
              .batch = integer_of(json, "batch", 0),
              .inputs = integer_of(json, "inputs", 0)};
    if (const io::Json* model = json.find("model"))
      step.model = file.at("models").at(model->as_string());
    steps.push_back(std::move(step));
  }
  return steps;
}

/// Forward, loss, gradients and update, as users write them.
inline auto training_step(const keras::Model& model) {
  return [model, optimizer = keras::optimizers::Adam(),
          loss_of = keras::losses::SparseCategoricalCrossentropy()](const Tensor& x,
                                                                    const Tensor& y) mutable {
    GradientTape tape;
    const Tensor loss = loss_of(y, model(x, {.training = true}));
    const std::vector<Variable> variables = model.trainable_variables();
    optimizer.apply(tape.gradient(loss, variables), variables);
    return loss;
  };
}

/// Batches of random images and labels. There is one batch of labels more than of images, so that
/// an image meets other labels each time around: nothing can be learnt by heart, and gradients
/// never vanish.
class Batches {
 public:
  explicit Batches(const Step& step) {
    for (int64_t i = 0; i < step.batches(); ++i)
      images_.push_back(random::uniform(step.input_shape(step.batch)));
    for (int64_t i = 0; i <= step.batches(); ++i)
      labels_.push_back(random::uniform({step.batch}, {.maxval = 10, .dtype = int32}));
  }

  /// Moves on to the next batch.
  void next() { ++at_; }
  const Tensor& images() const { return images_[at_ % images_.size()]; }
  const Tensor& labels() const { return labels_[at_ % labels_.size()]; }

 private:
  std::vector<Tensor> images_, labels_;
  size_t at_ = 0;
};

}  // namespace alula::benchmarks
