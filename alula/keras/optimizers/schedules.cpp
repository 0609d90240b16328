#include "alula/keras/optimizers/schedules.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace alula::keras::optimizers::schedules {
namespace {

void check_steps(const std::string& name, double steps) {
  require(steps > 0, "{}: decay_steps must be greater than 0. Got {}.", name, steps);
}

double cosine(double share) { return 0.5 * (1 + std::cos(std::numbers::pi * share)); }

}  // namespace

Schedule ExponentialDecay(const ExponentialDecayOptions& options) {
  check_steps(options.name, options.decay_steps);
  return {options.name, [o = options](int64_t step) {
            double p = static_cast<double>(step) / o.decay_steps;
            if (o.staircase) p = std::floor(p);
            return o.initial_learning_rate * std::pow(o.decay_rate, p);
          }};
}

Schedule PiecewiseConstantDecay(const PiecewiseConstantDecayOptions& options) {
  require(options.values.size() == options.boundaries.size() + 1,
          "{}: there must be one value more than boundaries. Got {} boundaries, {} values.",
          options.name, options.boundaries.size(), options.values.size());
  require(std::is_sorted(options.boundaries.begin(), options.boundaries.end()),
          "{}: the boundaries must increase.", options.name);
  return {options.name, [o = options](int64_t step) {
            const auto found = std::lower_bound(o.boundaries.begin(), o.boundaries.end(),
                                                static_cast<double>(step));
            return o.values[static_cast<size_t>(found - o.boundaries.begin())];
          }};
}

Schedule PolynomialDecay(const PolynomialDecayOptions& options) {
  check_steps(options.name, options.decay_steps);
  return {options.name, [o = options](int64_t step) {
            auto done = static_cast<double>(step);
            double steps = o.decay_steps;
            if (o.cycle)
              steps *= step == 0 ? 1 : std::ceil(done / steps);
            else
              done = std::min(done, steps);
            return (o.initial_learning_rate - o.end_learning_rate) *
                       std::pow(1 - done / steps, o.power) +
                   o.end_learning_rate;
          }};
}

Schedule InverseTimeDecay(const InverseTimeDecayOptions& options) {
  check_steps(options.name, options.decay_steps);
  return {options.name, [o = options](int64_t step) {
            double p = static_cast<double>(step) / o.decay_steps;
            if (o.staircase) p = std::floor(p);
            return o.initial_learning_rate / (1 + o.decay_rate * p);
          }};
}

Schedule CosineDecay(const CosineDecayOptions& options) {
  check_steps(options.name, options.decay_steps);
  return {options.name, [o = options](int64_t step) {
            const bool warms_up = o.warmup_target.given();
            const double start = o.warmup_target.value_or(o.initial_learning_rate);
            auto done = static_cast<double>(step);
            if (warms_up && done < o.warmup_steps)
              return o.initial_learning_rate +
                     (start - o.initial_learning_rate) * done / o.warmup_steps;
            if (warms_up) done -= o.warmup_steps;
            const double share = std::min(done, o.decay_steps) / o.decay_steps;
            return start * ((1 - o.alpha) * cosine(share) + o.alpha);
          }};
}

Schedule CosineDecayRestarts(const CosineDecayRestartsOptions& options) {
  require(options.first_decay_steps > 0, "{}: first_decay_steps must be greater than 0. Got {}.",
          options.name, options.first_decay_steps);
  require(options.t_mul >= 1, "{}: t_mul must be at least 1. Got {}.", options.name, options.t_mul);
  return {options.name, [o = options](int64_t step) {
            double share = static_cast<double>(step) / o.first_decay_steps, restart = 0;
            if (o.t_mul == 1) {
              restart = std::floor(share);
              share -= restart;
            } else {
              restart = std::floor(std::log(1 - share * (1 - o.t_mul)) / std::log(o.t_mul));
              const double before = (1 - std::pow(o.t_mul, restart)) / (1 - o.t_mul);
              share = (share - before) / std::pow(o.t_mul, restart);
            }
            const double m = std::pow(o.m_mul, restart);
            return o.initial_learning_rate * ((1 - o.alpha) * m * cosine(share) + o.alpha);
          }};
}

}  // namespace alula::keras::optimizers::schedules
