#include "alula/keras/callbacks/tensorboard.h"

#include <chrono>

#include "alula/io/event_writer.h"
#include "alula/keras/callbacks/learning_rate.h"
#include "alula/keras/model.h"

namespace alula::keras::callbacks {
namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

UpdateFrequency::UpdateFrequency(const char* word) {
  const std::string_view text = word;
  require(text == "epoch" || text == "batch",
          "update_freq: it is \"epoch\", \"batch\" or a number of batches. Got \"{}\".", text);
  batches_ = text == "batch" ? 1 : 0;
}

UpdateFrequency::UpdateFrequency(int batches) : batches_(batches) {
  require(batches > 0, "update_freq: the number of batches must be positive. Got {}.", batches);
}

TensorBoard::TensorBoard(const TensorBoardOptions& options) : options_(options) {
  require(options.histogram_freq >= 0, "TensorBoard: histogram_freq cannot be negative. Got {}.",
          options.histogram_freq);
  require<UnimplementedError>(
      !options.write_images && options.profile_batch == 0 && options.embeddings_freq == 0,
      "TensorBoard: images of weights, profiles and embeddings are not written yet. Leave "
      "write_images, profile_batch and embeddings_freq as they are.");
}

bool TensorBoard::uses_batches() const {
  return options_.update_freq.batches() > 0 || options_.write_steps_per_second;
}

io::EventWriter& TensorBoard::train() {
  if (train_ == nullptr) train_ = std::make_shared<io::EventWriter>(options_.log_dir + "/train");
  return *train_;
}

io::EventWriter& TensorBoard::validation() {
  if (validation_ == nullptr)
    validation_ = std::make_shared<io::EventWriter>(options_.log_dir + "/validation");
  return *validation_;
}

void TensorBoard::on_train_begin() {
  steps_ = 0;
  train();
}

void TensorBoard::on_epoch_begin(int64_t) {
  steps_before_epoch_ = steps_;
  epoch_start_ = seconds();
}

void TensorBoard::on_train_batch_begin(int64_t) {
  ++steps_;
  if (options_.write_steps_per_second) batch_start_ = seconds();
}

void TensorBoard::on_train_batch_end(int64_t, const Logs& logs) {
  const int64_t every = options_.update_freq.batches();
  if (every == 0 || steps_ % every != 0) return;
  if (options_.write_steps_per_second)
    train().scalar("batch_steps_per_second", 1 / (seconds() - batch_start_), steps_);
  for (const auto& [name, value] : logs) train().scalar("batch_" + name, value, steps_);
}

void TensorBoard::on_epoch_end(int64_t epoch, Logs& logs) {
  Logs trained;
  for (const auto& [name, value] : logs) {
    if (name.starts_with("val_"))
      validation().scalar("epoch_" + name.substr(4), value, epoch);
    else
      trained.set(name, value);
  }
  trained.set("learning_rate", learning_rate_of(model()));
  if (options_.write_steps_per_second)
    trained.set("steps_per_second",
                static_cast<double>(steps_ - steps_before_epoch_) / (seconds() - epoch_start_));
  for (const auto& [name, value] : trained) train().scalar("epoch_" + name, value, epoch);
  if (options_.histogram_freq > 0 && epoch % options_.histogram_freq == 0)
    for (const auto& [path, weight] : model().impl().named_weights())
      train().histogram(path + "/histogram", weight.value(), epoch);
  train().flush();
  if (validation_ != nullptr) validation_->flush();
}

void TensorBoard::on_test_end(const Logs& logs) {
  const auto iterations = model().optimizer().iterations().value().item<int64_t>();
  for (const auto& [name, value] : logs)
    validation().scalar("evaluation_" + name + "_vs_iterations", value, iterations);
  validation().flush();
}

void TensorBoard::on_train_end(const Logs&) {
  if (train_ != nullptr) train_->close();  // here, where an error can be told
  if (validation_ != nullptr) validation_->close();
  train_ = validation_ = nullptr;
}

}  // namespace alula::keras::callbacks
