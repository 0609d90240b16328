#pragma once
#include <string>

#include "alula/keras/logs.h"
#include "alula/keras/setting.h"

namespace alula::keras {

class Model;

namespace callbacks {

struct MonitorOptions {
  std::string who = {};      // the callback, for messages
  std::string monitor = {};  // the number's name in the logs
  std::string mode = {};     // "auto", "min" or "max"
  double min_delta = 0;      // less than that is no improvement
};

/// Watches one of the numbers of training: is it better than before?
class Monitor {
 public:
  explicit Monitor(const MonitorOptions& options);

  const std::string& name() const { return options_.monitor; }
  /// Finds out whether more is better, which "auto" learns from the model's metrics. Called when
  /// there is something to compare: metrics are known only then.
  void find_direction(const Model& model);
  /// Nothing yet is always worse. A number is better than NaN (in Keras nothing is, so that a first
  /// epoch that gives NaN spoils all later ones).
  bool is_better(double value, const Setting<double>& than) const;

 private:
  MonitorOptions options_;
  int sign_ = 0;  // 1: more is better, -1: less is; 0 is not known yet
};

/// "loss,val_loss", for messages.
std::string names_of(const Logs& logs);
/// As Python prints a number: the shortest text that reads back, and never without a point.
///   python_text(1)  ->  "1.0"
std::string python_text(double value);

}  // namespace callbacks
}  // namespace alula::keras
