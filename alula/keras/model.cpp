#include "alula/keras/model.h"

#include <algorithm>
#include <cmath>

#include "alula/io/safetensors.h"
#include "alula/keras/batch.h"
#include "alula/keras/fit.h"
#include "alula/keras/output.h"
#include "alula/keras/summary.h"
#include "alula/keras/trainer.h"
#include "alula/keras/words.h"

namespace alula::keras {
namespace {

constexpr int64_t kBatchSize = 32;

template <class Impl>
std::shared_ptr<Impl> with_class(std::shared_ptr<Impl> impl) {
  impl->set_class(typeid(Impl));
  return impl;
}

}  // namespace

Verbosity::Verbosity(int level) : level_(level) {
  require(level >= 0 && level <= 2, "verbose: it is 0, 1, 2 or \"auto\". Got {}.", level);
}

Verbosity::Verbosity(const char* word) {
  require(std::string_view(word) == "auto", "verbose: it is 0, 1, 2 or \"auto\". Got \"{}\".",
          word);
}

JitCompile::JitCompile(const char* word) {
  require(std::string_view(word) == "auto",
          "jit_compile: it is true, false or \"auto\". Got \"{}\".", word);
}

Model::Model(const FunctionalOptions& options)
    : Model(std::shared_ptr<ModelImpl>(with_class(
          std::make_shared<FunctionalImpl>(options.inputs, options.outputs, options.name)))) {}

Sequential::Sequential(std::vector<Layer> layers, const SequentialOptions& options)
    : Model(std::shared_ptr<ModelImpl>(
          with_class(std::make_shared<SequentialImpl>(std::move(layers), options.name)))) {}

void Sequential::add(const Layer& layer) const { static_cast<SequentialImpl&>(impl()).add(layer); }
void Sequential::pop() const { static_cast<SequentialImpl&>(impl()).pop(); }

void Model::compile(const CompileOptions& options) const {
  impl().trainer = std::make_shared<Trainer>(impl(), options);
  impl().predictor.store(nullptr);
}

bool Model::compiled() const { return impl().trainer != nullptr; }

Optimizer Model::optimizer() const {
  require<FailedPreconditionError>(compiled(), "optimizer: the model '{}' is not compiled.",
                                   name());
  return impl().trainer->optimizer();
}

History Model::fit(const data::Dataset& dataset, const FitOptions& options) const {
  require(options.validation_split == 0,
          "fit: validation_split needs arrays. Give validation_data with a data set.");
  require(options.sample_weight.empty(),
          "fit: with a data set, its elements carry the samples' weights.");
  const ValidationData& validation = options.validation_data;
  if (validation.dataset().has_value())
    return loops::fit(*this, dataset, options, &*validation.dataset());
  if (!validation.given()) return loops::fit(*this, dataset, options, nullptr);
  const data::Dataset arrays =
      batches_of(validation.arrays(), {.batch_size = options.validation_batch_size.value_or(
                                           options.batch_size.value_or(kBatchSize))});
  return loops::fit(*this, dataset, options, &arrays);
}

History Model::fit(const TensorList& x, const TensorList& y, const FitOptions& options) const {
  Batch all{x.tensors(), y.tensors(), options.sample_weight.tensors()};
  FitOptions rest = options;
  rest.sample_weight = {};
  rest.validation_split = 0;
  const double split = options.validation_split;
  require(split >= 0 && split < 1, "fit: validation_split must be in [0, 1). Got {}.", split);
  if (split > 0 && !options.validation_data.given()) {
    const int64_t rows = count_samples(all);
    const auto train = static_cast<int64_t>(std::floor(static_cast<double>(rows) * (1 - split)));
    require(train > 0 && train < rows,
            "fit: validation_split = {} of {} samples leaves none on one side.", split, rows);
    const Batch held = samples_of(all, train, rows);
    rest.validation_data = ValidationData(held.x, held.y, held.sample_weight);
    all = samples_of(all, 0, train);
  }
  return fit(batches_of(all, {.batch_size = options.batch_size.value_or(kBatchSize),
                              .shuffle = options.shuffle}),
             rest);
}

Logs Model::evaluate(const data::Dataset& dataset, const EvaluateOptions& options) const {
  return loops::evaluate(*this, dataset, options);
}

Logs Model::evaluate(const TensorList& x, const TensorList& y,
                     const EvaluateOptions& options) const {
  return evaluate(batches_of({x.tensors(), y.tensors(), options.sample_weight.tensors()},
                             {.batch_size = options.batch_size.value_or(kBatchSize)}),
                  options);
}

std::vector<Tensor> Model::predict_all(const data::Dataset& dataset,
                                       const PredictOptions& options) const {
  return loops::predict(*this, dataset, options);
}

Tensor Model::predict(const data::Dataset& dataset, const PredictOptions& options) const {
  const std::vector<Tensor> results = predict_all(dataset, options);
  require(results.size() == 1, "predict: the model '{}' has {} outputs. Use predict_all().", name(),
          results.size());
  return results[0];
}

std::vector<Tensor> Model::predict_all(const TensorList& x, const PredictOptions& options) const {
  return predict_all(
      batches_of({x.tensors()}, {.batch_size = options.batch_size.value_or(kBatchSize)}), options);
}

Tensor Model::predict(const TensorList& x, const PredictOptions& options) const {
  return predict(batches_of({x.tensors()}, {.batch_size = options.batch_size.value_or(kBatchSize)}),
                 options);
}

namespace {

Batch batch_of(const TensorList& x, const TensorList& y, const TrainOnBatchOptions& options) {
  Batch batch{x.tensors(), y.tensors(), options.sample_weight.tensors()};
  if (!options.class_weight.empty()) {
    require(batch.sample_weight.empty() && batch.y.size() == 1,
            "train_on_batch: class_weight is for one output, without sample_weight.");
    batch.sample_weight = {loops::sample_weights(batch.y[0], options.class_weight)};
  }
  return batch;
}

}  // namespace

Logs Model::train_on_batch(const TensorList& x, const TensorList& y,
                           const TrainOnBatchOptions& options) const {
  const std::shared_ptr<Trainer> trainer = trainer_of(*this, "train_on_batch");
  trainer->reset();
  trainer->train_step(batch_of(x, y, options));
  return trainer->logs();
}

Logs Model::test_on_batch(const TensorList& x, const TensorList& y,
                          const TrainOnBatchOptions& options) const {
  const std::shared_ptr<Trainer> trainer = trainer_of(*this, "test_on_batch");
  trainer->reset();
  trainer->test_step(batch_of(x, y, options));
  return trainer->logs();
}

Tensor Model::predict_on_batch(const TensorList& x) const {
  const std::vector<Tensor> results = predict_step(impl(), {x.tensors(), {}, {}});
  require(results.size() == 1, "predict_on_batch: the model '{}' has {} outputs. Use call_all().",
          name(), results.size());
  return results[0];
}

Layer Model::get_layer(const std::string& name) const {
  const std::vector<Layer> all = layers();
  std::vector<std::string_view> names;
  for (const Layer& layer : all) {
    if (layer.name() == name) return layer;
    names.push_back(layer.name());
  }
  no_such_word("layer", name, names);
}

Layer Model::get_layer(int64_t index) const {
  const std::vector<Layer> all = layers();
  const auto count = static_cast<int64_t>(all.size());
  require<OutOfRangeError>(index >= -count && index < count,
                           "get_layer: '{}' has {} layers. Got the index {}.", name(), count,
                           index);
  return all[static_cast<size_t>(index < 0 ? index + count : index)];
}

void Model::save_weights(const std::string& path) const {
  require<FailedPreconditionError>(built(),
                                   "save_weights: the model '{}' is not built yet: it has no "
                                   "weights. Call it once, or build() it.",
                                   name());
  io::SafeTensors file;
  for (const auto& [place, weight] : impl().named_weights())
    file.tensors.push_back({place, weight.value()});
  io::write_safetensors(path, file);
}

namespace {

/// "block/dense_1/kernel" -> "kernel"
std::string_view last_part(std::string_view place) { return place.substr(place.rfind('/') + 1); }

/// Whether the file's tensors are, one after another, what the weights are. Then its layers may be
/// called otherwise: names that layers give themselves count on from model to model.
bool fit_in_order(const io::SafeTensors& file,
                  const std::vector<std::pair<std::string, Variable>>& weights) {
  if (file.tensors.size() != weights.size()) return false;
  for (size_t i = 0; i < weights.size(); ++i) {
    const auto& [place, weight] = weights[i];
    const auto& item = file.tensors[i];
    if (item.tensor.spec() != weight.spec() || last_part(item.name) != last_part(place))
      return false;
  }
  return true;
}

}  // namespace

void Model::load_weights(const std::string& path) const {
  require<FailedPreconditionError>(built(),
                                   "load_weights: the model '{}' is not built yet. Call it once, "
                                   "or build() it, so that it knows its weights.",
                                   name());
  const auto file = io::read_safetensors(path);
  const auto weights = impl().named_weights();
  const auto named = [&](const std::string& place) {
    return std::find_if(file.tensors.begin(), file.tensors.end(),
                        [&](const auto& item) { return item.name == place; });
  };
  const bool all_named = std::all_of(weights.begin(), weights.end(), [&](const auto& item) {
    return named(item.first) != file.tensors.end();
  });
  const bool by_order = !all_named && fit_in_order(file, weights);
  std::vector<Tensor> values;
  for (const auto& [place, weight] : weights) {
    const auto found =
        by_order ? file.tensors.begin() + static_cast<ptrdiff_t>(values.size()) : named(place);
    require(found != file.tensors.end(),
            "load_weights: {} has no '{}', which the model '{}' needs.", path, place, name());
    require(found->tensor.spec() == weight.spec(),
            "load_weights: '{}' is {} in {}. The model '{}' has {}.", place, found->tensor.spec(),
            path, name(), weight.spec());
    values.push_back(found->tensor);
  }
  for (size_t i = 0; i < weights.size(); ++i) Variable(weights[i].second).assign(values[i]);
}

void Model::summary(const SummaryOptions& options) const {
  const std::string text = summary_text(impl(), options);
  if (options.print_fn)
    options.print_fn(text);
  else
    output().write(text);
}

namespace models {

Model clone_model(const Model& model) {
  return Model(std::static_pointer_cast<ModelImpl>(model.impl().copy()));
}

Sequential clone_model(const Sequential& model) {
  return Sequential(std::static_pointer_cast<SequentialImpl>(model.impl().copy()));
}

}  // namespace models
}  // namespace alula::keras
