#pragma once
#include "alula/core/tensor.h"
#include "alula/keras/callback.h"
#include "alula/keras/callbacks/monitor.h"

namespace alula::keras::callbacks {

struct EarlyStoppingOptions {
  std::string monitor = "val_loss";
  double min_delta = 0;  // less than that is no improvement
  int64_t patience = 0;  // the epochs without improvement that are borne
  int verbose = 0;
  std::string mode = "auto";      // "min" or "max" is better
  Setting<double> baseline = {};  // only what is better than this counts
  bool restore_best_weights = false;
  int64_t start_from_epoch = 0;
};

/// Stops training when a number no longer gets better.
///   model.fit(x, y, {.callbacks = {callbacks::EarlyStopping({.patience = 3})}});
/// With `restore_best_weights`, the model ends with the weights of its best epoch, also where it
/// was not stopped.
class EarlyStopping : public Callback {
 public:
  explicit EarlyStopping(const EarlyStoppingOptions& options = {});

  void on_train_begin() override;
  void on_epoch_end(int64_t epoch, Logs& logs) override;
  void on_train_end(const Logs& logs) override;
  bool uses_batches() const override { return false; }

  /// The epoch, from 0, after which training was stopped; 0 if it was not.
  int64_t stopped_epoch() const { return stopped_epoch_; }
  int64_t best_epoch() const { return best_epoch_; }
  /// The best number so far, if there is one.
  const Setting<double>& best() const { return best_; }

 private:
  EarlyStoppingOptions options_;
  Monitor monitor_;
  int64_t wait_ = 0;
  int64_t stopped_epoch_ = 0;
  int64_t best_epoch_ = 0;
  Setting<double> best_;
  std::vector<Tensor> best_weights_;
};

}  // namespace alula::keras::callbacks
