#pragma once
#include <fstream>

#include "alula/keras/callback.h"

namespace alula::keras::callbacks {

struct CSVLoggerOptions {
  std::string filename = {};
  std::string separator = ",";
  bool append = false;  // goes on in a file that is there, without a second head
};

/// Writes each epoch's numbers to a file: a line of names, then a line an epoch. The names are
/// those of the first epoch; if none is of validation, there are columns for it all the same, which
/// hold "NA". Others can read along: every line is handed to the system at once.
class CSVLogger : public Callback {
 public:
  explicit CSVLogger(const CSVLoggerOptions& options);

  void on_train_begin() override;
  void on_epoch_end(int64_t epoch, Logs& logs) override;
  void on_train_end(const Logs& logs) override;
  bool uses_batches() const override { return false; }

 private:
  void write(const std::string& line);
  std::string quoted(const std::string& text) const;

  CSVLoggerOptions options_;
  std::shared_ptr<std::ofstream> file_;  // shared by copies
  bool wants_head_ = true;
  std::vector<std::string> keys_;
};

}  // namespace alula::keras::callbacks
