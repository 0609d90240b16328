#include "alula/keras/callbacks/monitor.h"

#include <cmath>

#include "alula/keras/model.h"
#include "alula/keras/trainer.h"

namespace alula::keras::callbacks {

Monitor::Monitor(const MonitorOptions& options) : options_(options) {
  require(options.mode == "auto" || options.mode == "min" || options.mode == "max",
          "{}: mode is \"auto\", \"min\" or \"max\". Got \"{}\".", options.who, options.mode);
  options_.min_delta = std::abs(options.min_delta);
  if (options.mode != "auto") sign_ = options.mode == "max" ? 1 : -1;
}

void Monitor::find_direction(const Model& model) {
  if (sign_ != 0) return;
  const std::string& monitor = options_.monitor;
  const std::string name = monitor.starts_with("val_") ? monitor.substr(4) : monitor;
  const auto& trainer = model.impl().trainer;
  const Metric metric = trainer != nullptr ? trainer->find_metric(name) : Metric();
  if (metric.defined() && metric.direction() != Direction::kUnknown)
    sign_ = metric.direction() == Direction::kUp ? 1 : -1;
  else if (name == "loss")
    sign_ = -1;
  require(sign_ != 0,
          "{}: whether more or less of \"{}\" is better is not known. Set mode = \"max\" or mode = "
          "\"min\".",
          options_.who, monitor);
}

bool Monitor::is_better(double value, const Setting<double>& than) const {
  if (!than.given()) return true;
  if (std::isnan(than.value())) return !std::isnan(value);
  return sign_ > 0 ? value - options_.min_delta > than.value()
                   : value + options_.min_delta < than.value();
}

std::string names_of(const Logs& logs) {
  std::string names;
  for (const auto& [name, value] : logs) names += (names.empty() ? "" : ",") + name;
  return names;
}

std::string python_text(double value) {
  if (std::isnan(value)) return "nan";
  std::string text = fmt::format("{}", value);
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace alula::keras::callbacks
