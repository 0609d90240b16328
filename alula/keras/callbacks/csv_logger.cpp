#include "alula/keras/callbacks/csv_logger.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "alula/core/error.h"
#include "alula/keras/callbacks/monitor.h"

namespace alula::keras::callbacks {

CSVLogger::CSVLogger(const CSVLoggerOptions& options) : options_(options) {
  require(!options.filename.empty(), "CSVLogger: it needs a filename.");
  require(options.separator.size() == 1, "CSVLogger: the separator is one character. Got \"{}\".",
          options.separator);
}

void CSVLogger::on_train_begin() {
  std::error_code error;
  const auto size = std::filesystem::file_size(options_.filename, error);
  wants_head_ = !options_.append || error || size == 0;
  const auto mode = options_.append ? std::ios::app : std::ios::trunc;
  file_ = std::make_shared<std::ofstream>(options_.filename, std::ios::binary | mode);
  require<FailedPreconditionError>(file_->is_open(), "CSVLogger: cannot write {}: {}.",
                                   options_.filename, std::strerror(errno));
}

void CSVLogger::on_epoch_end(int64_t epoch, Logs& logs) {
  require<FailedPreconditionError>(file_ != nullptr,
                                   "CSVLogger: its file is opened by on_train_begin.");
  if (keys_.empty()) {
    for (const auto& [name, value] : logs.sorted()) keys_.push_back(name);
    const size_t count = keys_.size();
    if (std::none_of(keys_.begin(), keys_.end(),
                     [](const std::string& key) { return key.starts_with("val_"); }))
      for (size_t i = 0; i < count; ++i) keys_.push_back("val_" + keys_[i]);
  }
  std::string head = "epoch", line = std::to_string(epoch);
  for (const std::string& key : keys_) {
    head += options_.separator + quoted(key);
    line += options_.separator + (logs.contains(key) ? python_text(logs[key]) : "NA");
  }
  if (wants_head_) write(head);
  wants_head_ = false;
  write(line);
}

void CSVLogger::on_train_end(const Logs&) { file_ = nullptr; }

void CSVLogger::write(const std::string& line) {
  *file_ << line << "\r\n" << std::flush;
  require<FailedPreconditionError>(
      file_->good(), "CSVLogger: cannot write to {}. Is the disk full?", options_.filename);
}

/// A name that holds what separates names is put in quotes.
std::string CSVLogger::quoted(const std::string& text) const {
  if (text.find_first_of(options_.separator + "\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

}  // namespace alula::keras::callbacks
