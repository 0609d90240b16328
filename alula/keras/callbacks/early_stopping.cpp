#include "alula/keras/callbacks/early_stopping.h"

#include "alula/core/log.h"
#include "alula/keras/model.h"
#include "alula/keras/output.h"

namespace alula::keras::callbacks {

EarlyStopping::EarlyStopping(const EarlyStoppingOptions& options)
    : options_(options),
      monitor_({.who = "EarlyStopping",
                .monitor = options.monitor,
                .mode = options.mode,
                .min_delta = options.min_delta}) {}

void EarlyStopping::on_train_begin() {
  wait_ = stopped_epoch_ = best_epoch_ = 0;
  best_ = {};
  best_weights_.clear();
}

void EarlyStopping::on_epoch_end(int64_t epoch, Logs& logs) {
  if (!logs.contains(options_.monitor)) {
    logging::warn(
        "EarlyStopping: it watches \"{}\", which is not among the numbers of this epoch. There "
        "are: {}.",
        options_.monitor, names_of(logs));
    return;
  }
  if (epoch < options_.start_from_epoch) return;
  monitor_.find_direction(model());
  const double value = logs[options_.monitor];
  const bool better = monitor_.is_better(value, best_);
  if (options_.restore_best_weights && (better || best_weights_.empty())) {
    best_weights_ = model().get_weights();
    best_epoch_ = epoch;
  }
  ++wait_;
  if (better) {
    best_ = value;
    best_epoch_ = epoch;
    if (monitor_.is_better(value, options_.baseline)) wait_ = 0;
  } else if (wait_ >= options_.patience && epoch > 0) {
    stopped_epoch_ = epoch;
    model().set_stop_training(true);
  }
}

void EarlyStopping::on_train_end(const Logs&) {
  if (stopped_epoch_ > 0 && options_.verbose > 0)
    output().write(fmt::format("Epoch {}: early stopping\n", stopped_epoch_ + 1));
  if (best_weights_.empty()) return;
  if (options_.verbose > 0)
    output().write(fmt::format("Restoring model weights from the end of the best epoch: {}.\n",
                               best_epoch_ + 1));
  model().set_weights(best_weights_);
}

}  // namespace alula::keras::callbacks
