#include "alula/keras/callbacks/reduce_lr_on_plateau.h"

#include <algorithm>

#include "alula/core/log.h"
#include "alula/keras/callbacks/learning_rate.h"
#include "alula/keras/model.h"
#include "alula/keras/output.h"

namespace alula::keras::callbacks {

ReduceLROnPlateau::ReduceLROnPlateau(const ReduceLROnPlateauOptions& options)
    : options_(options),
      monitor_({.who = "ReduceLROnPlateau",
                .monitor = options.monitor,
                .mode = options.mode,
                .min_delta = options.min_delta}) {
  require(options.factor >= 0 && options.factor < 1,
          "ReduceLROnPlateau: factor must be in [0, 1), so that it makes the rate smaller. Got {}.",
          options.factor);
}

void ReduceLROnPlateau::on_train_begin() {
  wait_ = cooling_ = 0;
  best_ = {};
}

void ReduceLROnPlateau::on_epoch_end(int64_t epoch, Logs& logs) {
  const bool known = logs.contains(options_.monitor);
  if (!known)
    logging::warn(
        "ReduceLROnPlateau: it watches \"{}\", which is not among the numbers of this epoch. There "
        "are: {}.",
        options_.monitor, names_of(logs));
  logs.set("learning_rate", learning_rate_of(model()));
  if (!known) return;
  monitor_.find_direction(model());
  const double value = logs[options_.monitor];
  if (cooling_ > 0) {
    --cooling_;
    wait_ = 0;
  }
  if (monitor_.is_better(value, best_)) {
    best_ = value;
    wait_ = 0;
  } else if (cooling_ == 0 && ++wait_ >= options_.patience) {
    reduce(epoch);
  }
}

void ReduceLROnPlateau::reduce(int64_t epoch) {
  const double rate = learning_rate_of(model());
  if (rate <= static_cast<float>(options_.min_lr)) return;
  const double lower = std::max(rate * options_.factor, options_.min_lr);
  set_learning_rate(model(), lower);
  if (options_.verbose > 0)
    output().write(fmt::format("\nEpoch {}: ReduceLROnPlateau reducing learning rate to {}.\n",
                               epoch + 1, python_text(lower)));
  cooling_ = options_.cooldown;
  wait_ = 0;
}

}  // namespace alula::keras::callbacks
