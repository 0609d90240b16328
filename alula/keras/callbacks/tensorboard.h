#pragma once
#include "alula/keras/callback.h"

namespace alula::io {
class EventWriter;
}

namespace alula::keras::callbacks {

/// How often TensorBoard gets numbers beside those of epochs: "epoch", never; "batch", after each
/// one; or after so many.
class UpdateFrequency {
 public:
  UpdateFrequency() = default;
  UpdateFrequency(const char* word);
  UpdateFrequency(int batches);
  /// 0: never.
  int64_t batches() const { return batches_; }

 private:
  int64_t batches_ = 0;
};

struct TensorBoardOptions {
  std::string log_dir = "logs";
  int64_t histogram_freq = 0;  // after so many epochs, how the weights are spread; 0: never
  bool write_graph = true;
  bool write_images = false;
  bool write_steps_per_second = false;
  UpdateFrequency update_freq = {};
  int64_t profile_batch = 0;
  int64_t embeddings_freq = 0;
};

/// Writes what TensorBoard shows (`tensorboard --logdir logs`), under Keras's names, in
/// `log_dir`/train and `log_dir`/validation: `epoch_<name>` after each epoch, with the learning
/// rate; `evaluation_<name>_vs_iterations` after each evaluation; `batch_<name>` if asked for with
/// `update_freq`; `<weight>/histogram` with `histogram_freq`.
/// The model's graph is not written, whatever `write_graph` says. Images of weights, profiles and
/// embeddings are not known: asking for them is an error.
class TensorBoard : public Callback {
 public:
  explicit TensorBoard(const TensorBoardOptions& options = {});

  void on_train_begin() override;
  void on_epoch_begin(int64_t epoch) override;
  void on_epoch_end(int64_t epoch, Logs& logs) override;
  void on_train_batch_begin(int64_t batch) override;
  void on_train_batch_end(int64_t batch, const Logs& logs) override;
  void on_test_end(const Logs& logs) override;
  void on_train_end(const Logs& logs) override;
  bool uses_batches() const override;

 private:
  io::EventWriter& train();
  io::EventWriter& validation();

  TensorBoardOptions options_;
  std::shared_ptr<io::EventWriter> train_, validation_;  // made when there is something to write
  int64_t steps_ = 0;
  int64_t steps_before_epoch_ = 0;
  double epoch_start_ = 0, batch_start_ = 0;
};

}  // namespace alula::keras::callbacks
