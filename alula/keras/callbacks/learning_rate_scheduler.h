#pragma once
#include <functional>

#include "alula/keras/callback.h"

namespace alula::keras::callbacks {

/// A rate for each epoch: a function of the epoch, from 0, and the rate so far; or of the epoch.
class EpochSchedule {
 public:
  EpochSchedule() = default;
  template <std::invocable<int64_t, double> F>
  EpochSchedule(F function) : function_(std::move(function)) {}
  template <std::invocable<int64_t> F>
    requires(!std::invocable<F, int64_t, double>)
  EpochSchedule(F function)
      : function_([f = std::move(function)](int64_t epoch, double) { return f(epoch); }) {}

  bool given() const { return function_ != nullptr; }
  double operator()(int64_t epoch, double rate) const { return function_(epoch, rate); }

 private:
  std::function<double(int64_t, double)> function_;
};

struct LearningRateSchedulerOptions {
  EpochSchedule schedule = {};
  int verbose = 0;
};

/// Sets the learning rate at the start of each epoch. It stands in the logs as "learning_rate".
///   callbacks::LearningRateScheduler(
///       {.schedule = [](int64_t epoch, double rate) { return epoch < 10 ? rate : rate * 0.9; }})
class LearningRateScheduler : public Callback {
 public:
  explicit LearningRateScheduler(const LearningRateSchedulerOptions& options);

  void on_epoch_begin(int64_t epoch) override;
  void on_epoch_end(int64_t epoch, Logs& logs) override;
  bool uses_batches() const override { return false; }

 private:
  LearningRateSchedulerOptions options_;
};

}  // namespace alula::keras::callbacks
