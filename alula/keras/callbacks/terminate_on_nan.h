#pragma once
#include "alula/keras/callback.h"

namespace alula::keras::callbacks {

struct TerminateOnNaNOptions {
  bool raise_error = false;  // an error, which `fit` passes on, instead of a message
};

/// Stops training after the batch whose loss is not a number, or infinite.
class TerminateOnNaN : public Callback {
 public:
  explicit TerminateOnNaN(const TerminateOnNaNOptions& options = {}) : options_(options) {}
  void on_train_batch_end(int64_t batch, const Logs& logs) override;

 private:
  TerminateOnNaNOptions options_;
};

}  // namespace alula::keras::callbacks
