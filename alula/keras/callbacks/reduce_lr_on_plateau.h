#pragma once
#include "alula/keras/callback.h"
#include "alula/keras/callbacks/monitor.h"

namespace alula::keras::callbacks {

struct ReduceLROnPlateauOptions {
  std::string monitor = "val_loss";
  double factor = 0.1;    // what the rate is multiplied by
  int64_t patience = 10;  // the epochs without improvement that are borne
  int verbose = 0;
  std::string mode = "auto";  // "min" or "max" is better
  double min_delta = 1e-4;    // less than that is no improvement
  int64_t cooldown = 0;       // the epochs after a reduction that don't count
  double min_lr = 0;
};

/// Lowers the learning rate when a number no longer gets better. The rate stands in the logs as
/// "learning_rate".
class ReduceLROnPlateau : public Callback {
 public:
  explicit ReduceLROnPlateau(const ReduceLROnPlateauOptions& options = {});

  void on_train_begin() override;
  void on_epoch_end(int64_t epoch, Logs& logs) override;
  bool uses_batches() const override { return false; }

 private:
  void reduce(int64_t epoch);

  ReduceLROnPlateauOptions options_;
  Monitor monitor_;
  int64_t wait_ = 0;
  int64_t cooling_ = 0;  // epochs left
  Setting<double> best_;
};

}  // namespace alula::keras::callbacks
