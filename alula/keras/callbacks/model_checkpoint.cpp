#include "alula/keras/callbacks/model_checkpoint.h"

#include <cmath>
#include <filesystem>

#include "alula/core/log.h"
#include "alula/keras/model.h"
#include "alula/keras/output.h"

namespace alula::keras::callbacks {
namespace {

constexpr const char* kName = "ModelCheckpoint";

/// A number as a placeholder's format says: "02d", ".2f", or nothing.
template <class T>
std::string formatted(T value, const std::string& format, const std::string& pattern) {
  if (format.empty()) {
    if constexpr (std::is_floating_point_v<T>) return python_text(value);
    return fmt::format("{}", value);
  }
  try {
    // Braces would ask for more arguments; Python's and fmt's formats of numbers agree otherwise.
    if (format.find_first_of("{}") == std::string::npos)
      return fmt::format(fmt::runtime("{:" + format + "}"), value);
  } catch (const fmt::format_error&) {
    // It is said below.
  }
  fail(
      "{}: \"{}\" is no format of {} in \"{}\". Formats are Python's, such as \"02d\" for whole "
      "numbers and \".2f\" for others.",
      kName, format, std::is_integral_v<T> ? "a whole number" : "a number", pattern);
}

std::string placeholder(const std::string& text, const std::string& pattern, int64_t epoch,
                        int64_t batch, const Logs& logs) {
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string name = text.substr(0, colon);
  const std::string format = colon < text.size() ? text.substr(colon + 1) : "";
  if (name == "epoch") return formatted(epoch + 1, format, pattern);
  if (name == "batch" && batch >= 0) return formatted(batch + 1, format, pattern);
  require(logs.contains(name), "{}: there is no \"{}\" for the file name \"{}\". There are: {}.",
          kName, name, pattern, "epoch," + names_of(logs));
  return formatted(logs[name], format, pattern);
}

std::string short_text(const Setting<double>& value) {
  if (!value.given()) return "None";
  return std::isnan(value.value()) ? "nan" : fmt::format("{:.5f}", value.value());
}

}  // namespace

SaveFrequency::SaveFrequency(const char* word) {
  require(std::string_view(word) == "epoch",
          "save_freq: it is \"epoch\" or a number of batches. Got \"{}\".", word);
}

SaveFrequency::SaveFrequency(int batches) : batches_(batches) {
  require(batches > 0, "save_freq: the number of batches must be positive. Got {}.", batches);
}

std::string checkpoint_path(const std::string& pattern, int64_t epoch, int64_t batch,
                            const Logs& logs) {
  std::string path;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if ((c == '{' || c == '}') && i + 1 < pattern.size() && pattern[i + 1] == c) {
      path += c;  // two stand for one
      ++i;
    } else if (c == '{') {
      const size_t end = pattern.find('}', i);
      require(end != std::string::npos, "{}: a {{ is not closed in \"{}\".", kName, pattern);
      path += placeholder(pattern.substr(i + 1, end - i - 1), pattern, epoch, batch, logs);
      i = end;
    } else {
      require(c != '}', "{}: a }} was not opened in \"{}\".", kName, pattern);
      path += c;
    }
  }
  return path;
}

ModelCheckpoint::ModelCheckpoint(const ModelCheckpointOptions& options)
    : options_(options),
      monitor_({.who = kName, .monitor = options.monitor, .mode = options.mode, .min_delta = 0}),
      best_(options.initial_value_threshold) {
  require(
      options.filepath.ends_with(".safetensors"),
      "{}: the file must end in \".safetensors\": weights are saved in that format. Got \"{}\".",
      kName, options.filepath);
}

void ModelCheckpoint::on_epoch_end(int64_t epoch, Logs& logs) {
  epoch_ = epoch;
  if (options_.save_freq.batches() == 0) save(logs, -1);
}

void ModelCheckpoint::on_train_batch_end(int64_t batch, const Logs& logs) {
  if (options_.save_freq.batches() == 0) return;
  if (++batches_since_save_ < options_.save_freq.batches()) return;
  batches_since_save_ = 0;
  save(logs, batch);
}

bool ModelCheckpoint::is_wanted(const Logs& logs, const std::string& path) {
  const auto say = [&](const std::string& what) {
    if (options_.verbose > 0) output().write(fmt::format("\nEpoch {}: {}\n", epoch_ + 1, what));
  };
  if (!options_.save_best_only) {
    say("saving model to " + path);
    return true;
  }
  if (!logs.contains(options_.monitor)) {
    logging::warn(
        "{}: it watches \"{}\", which is not among the numbers so far, and saves in any case. "
        "There "
        "are: {}.",
        kName, options_.monitor, names_of(logs));
    return true;
  }
  monitor_.find_direction(model());
  const double value = logs[options_.monitor];
  if (!monitor_.is_better(value, best_)) {
    say(fmt::format("{} did not improve from {}", options_.monitor, short_text(best_)));
    return false;
  }
  say(fmt::format("{} improved from {} to {}, saving model to {}", options_.monitor,
                  short_text(best_), short_text(value), path));
  best_ = value;
  return true;
}

void ModelCheckpoint::save(const Logs& logs, int64_t batch) {
  const std::string path = checkpoint_path(options_.filepath, epoch_, batch, logs);
  if (!is_wanted(logs, path)) return;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  require<FailedPreconditionError>(!error, "{}: cannot make the folder {}: {}.", kName,
                                   folder.string(), error.message());
  model().save_weights(path);
  if (options_.verbose > 0)
    output().write(fmt::format("\nEpoch {}: finished saving model to {}\n", epoch_ + 1, path));
}

}  // namespace alula::keras::callbacks
