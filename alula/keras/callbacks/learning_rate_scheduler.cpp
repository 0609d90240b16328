#include "alula/keras/callbacks/learning_rate_scheduler.h"

#include <cmath>

#include "alula/keras/callbacks/learning_rate.h"
#include "alula/keras/callbacks/monitor.h"
#include "alula/keras/model.h"
#include "alula/keras/output.h"

namespace alula::keras::callbacks {

LearningRateScheduler::LearningRateScheduler(const LearningRateSchedulerOptions& options)
    : options_(options) {
  require(options.schedule.given(),
          "LearningRateScheduler: it needs a schedule, a function of the epoch and the rate.");
}

void LearningRateScheduler::on_epoch_begin(int64_t epoch) {
  const double rate = options_.schedule(epoch, learning_rate_of(model()));
  require(std::isfinite(rate) && rate >= 0,
          "LearningRateScheduler: a rate must be a number and not negative. Got {} for epoch {}.",
          rate, epoch);
  set_learning_rate(model(), rate);
  if (options_.verbose > 0)
    output().write(fmt::format("\nEpoch {}: LearningRateScheduler setting learning rate to {}.\n",
                               epoch + 1, python_text(rate)));
}

void LearningRateScheduler::on_epoch_end(int64_t, Logs& logs) {
  logs.set("learning_rate", learning_rate_of(model()));
}

}  // namespace alula::keras::callbacks
