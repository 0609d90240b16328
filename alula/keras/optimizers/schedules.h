#pragma once
#include <vector>

#include "alula/keras/optimizers/learning_rate.h"
#include "alula/keras/setting.h"

/// Learning rates that change from step to step.
namespace alula::keras::optimizers::schedules {

struct ExponentialDecayOptions {
  double initial_learning_rate = 0;
  double decay_steps = 0;
  double decay_rate = 0;
  bool staircase = false;  // only at every decay_steps-th step
  std::string name = "ExponentialDecay";
};
/// initial * decay_rate ^ (step / decay_steps)
Schedule ExponentialDecay(const ExponentialDecayOptions& options);

struct PiecewiseConstantDecayOptions {
  std::vector<double> boundaries = {};
  std::vector<double> values = {};  // one more than boundaries
  std::string name = "PiecewiseConstant";
};
/// values[i] up to and including step boundaries[i], then the next.
Schedule PiecewiseConstantDecay(const PiecewiseConstantDecayOptions& options);

struct PolynomialDecayOptions {
  double initial_learning_rate = 0;
  double decay_steps = 0;
  double end_learning_rate = 0.0001;
  double power = 1.0;
  bool cycle = false;  // beyond decay_steps, go on as if there were a multiple of them
  std::string name = "PolynomialDecay";
};
/// (initial - end) * (1 - step / decay_steps) ^ power + end
Schedule PolynomialDecay(const PolynomialDecayOptions& options);

struct InverseTimeDecayOptions {
  double initial_learning_rate = 0;
  double decay_steps = 0;
  double decay_rate = 0;
  bool staircase = false;
  std::string name = "InverseTimeDecay";
};
/// initial / (1 + decay_rate * step / decay_steps)
Schedule InverseTimeDecay(const InverseTimeDecayOptions& options);

struct CosineDecayOptions {
  double initial_learning_rate = 0;
  double decay_steps = 0;
  double alpha = 0.0;  // the share of the rate that is left in the end
  std::string name = "CosineDecay";
  Setting<double> warmup_target = {};  // if given, first a line from the initial rate to it
  double warmup_steps = 0;
};
/// Half a cosine from the initial rate (or the warm-up's target) down to alpha times it.
Schedule CosineDecay(const CosineDecayOptions& options);

struct CosineDecayRestartsOptions {
  double initial_learning_rate = 0;
  double first_decay_steps = 0;
  double t_mul = 2.0;  // each period is so much longer,
  double m_mul = 1.0;  // and its rate so much higher, than the one before
  double alpha = 0.0;
  std::string name = "SGDRDecay";
};
/// Cosine decays one after another.
Schedule CosineDecayRestarts(const CosineDecayRestartsOptions& options);

}  // namespace alula::keras::optimizers::schedules
