#pragma once
#include "alula/keras/callback.h"
#include "alula/keras/callbacks/monitor.h"

namespace alula::keras::callbacks {

/// How often something is saved: "epoch", after each one; or after so many batches.
class SaveFrequency {
 public:
  SaveFrequency() = default;
  SaveFrequency(const char* word);
  SaveFrequency(int batches);
  /// 0: after each epoch.
  int64_t batches() const { return batches_; }

 private:
  int64_t batches_ = 0;
};

struct ModelCheckpointOptions {
  std::string filepath = {};
  std::string monitor = "val_loss";
  int verbose = 0;
  bool save_best_only = false;
  bool save_weights_only = false;  // it makes no difference yet: weights are what is saved
  std::string mode = "auto";       // "min" or "max" is better
  SaveFrequency save_freq = {};
  Setting<double> initial_value_threshold = {};  // the first best
};

/// Saves a model's weights while it is trained. The file appears whole or not at all, so that the
/// last good one is there at any moment. Folders are made.
///   callbacks::ModelCheckpoint({.filepath = "runs/{epoch:02d}-{val_loss:.2f}.safetensors"})
/// In its name may stand, as Python formats them: {epoch} and {batch}, counted from 1, and each
/// number of the logs. Files are in the safetensors format; `model.load_weights` reads them.
class ModelCheckpoint : public Callback {
 public:
  explicit ModelCheckpoint(const ModelCheckpointOptions& options);

  void on_epoch_begin(int64_t epoch) override { epoch_ = epoch; }
  void on_epoch_end(int64_t epoch, Logs& logs) override;
  void on_train_batch_end(int64_t batch, const Logs& logs) override;
  bool uses_batches() const override { return options_.save_freq.batches() > 0; }

  const Setting<double>& best() const { return best_; }

 private:
  bool is_wanted(const Logs& logs, const std::string& path);
  void save(const Logs& logs, int64_t batch);

  ModelCheckpointOptions options_;
  Monitor monitor_;
  Setting<double> best_;
  int64_t epoch_ = 0;
  int64_t batches_since_save_ = 0;
};

/// Fills in a file's name. {epoch} and {batch} are integers, the logs' numbers are not.
std::string checkpoint_path(const std::string& pattern, int64_t epoch, int64_t batch,
                            const Logs& logs);

}  // namespace alula::keras::callbacks
