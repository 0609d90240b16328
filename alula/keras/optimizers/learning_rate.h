#pragma once
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace alula::keras {

/// A learning rate that depends on the number of steps done: 0 at the first.
class Schedule {
 public:
  using Function = std::function<double(int64_t step)>;
  Schedule() = default;
  Schedule(std::string name, Function function)
      : name_(std::move(name)), function_(std::move(function)) {}

  bool given() const { return static_cast<bool>(function_); }
  const std::string& name() const { return name_; }
  /// The rate at a step.
  double operator()(int64_t step) const { return function_(step); }

 private:
  std::string name_;
  Function function_;
};

/// A learning rate: a number, a schedule, or a function of the step.
///   .learning_rate = 0.01
///   .learning_rate = optimizers::schedules::CosineDecay({.initial_learning_rate = 0.1,
///                                                        .decay_steps = 1000})
///   .learning_rate = [](int64_t step) { return 1.0 / (step + 1); }
class LearningRate {
 public:
  LearningRate(double rate) : rate_(rate) {}
  LearningRate(const Schedule& schedule) : schedule_(schedule) {}
  template <class F>
    requires(std::is_invocable_r_v<double, F, int64_t> && !std::convertible_to<F, Schedule>)
  LearningRate(F function) : schedule_("schedule", std::move(function)) {}

  bool is_schedule() const { return schedule_.given(); }
  double number() const { return rate_; }
  const Schedule& schedule() const { return schedule_; }

 private:
  double rate_ = 0;
  Schedule schedule_;
};

}  // namespace alula::keras
