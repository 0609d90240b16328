#pragma once
#include <functional>

#include "alula/keras/callback.h"

namespace alula::keras::callbacks {

struct LambdaCallbackOptions {
  std::function<void(int64_t epoch)> on_epoch_begin = {};
  std::function<void(int64_t epoch, Logs& logs)> on_epoch_end = {};
  std::function<void()> on_train_begin = {};
  std::function<void(const Logs& logs)> on_train_end = {};
  std::function<void(int64_t batch)> on_train_batch_begin = {};
  std::function<void(int64_t batch, const Logs& logs)> on_train_batch_end = {};
  std::function<void()> on_test_begin = {};
  std::function<void(const Logs& logs)> on_test_end = {};
  std::function<void(int64_t batch)> on_test_batch_begin = {};
  std::function<void(int64_t batch, const Logs& logs)> on_test_batch_end = {};
  std::function<void()> on_predict_begin = {};
  std::function<void()> on_predict_end = {};
  std::function<void(int64_t batch)> on_predict_batch_begin = {};
  std::function<void(int64_t batch)> on_predict_batch_end = {};
};

/// A callback of functions.
///   callbacks::LambdaCallback({.on_epoch_end = [](int64_t epoch, Logs& logs) { … }})
class LambdaCallback : public Callback {
 public:
  explicit LambdaCallback(LambdaCallbackOptions options) : options_(std::move(options)) {}

  void on_epoch_begin(int64_t epoch) override { call(options_.on_epoch_begin, epoch); }
  void on_epoch_end(int64_t epoch, Logs& logs) override {
    call(options_.on_epoch_end, epoch, logs);
  }
  void on_train_begin() override { call(options_.on_train_begin); }
  void on_train_end(const Logs& logs) override { call(options_.on_train_end, logs); }
  void on_train_batch_begin(int64_t batch) override { call(options_.on_train_batch_begin, batch); }
  void on_train_batch_end(int64_t batch, const Logs& logs) override {
    call(options_.on_train_batch_end, batch, logs);
  }
  void on_test_begin() override { call(options_.on_test_begin); }
  void on_test_end(const Logs& logs) override { call(options_.on_test_end, logs); }
  void on_test_batch_begin(int64_t batch) override { call(options_.on_test_batch_begin, batch); }
  void on_test_batch_end(int64_t batch, const Logs& logs) override {
    call(options_.on_test_batch_end, batch, logs);
  }
  void on_predict_begin() override { call(options_.on_predict_begin); }
  void on_predict_end() override { call(options_.on_predict_end); }
  void on_predict_batch_begin(int64_t batch) override {
    call(options_.on_predict_batch_begin, batch);
  }
  void on_predict_batch_end(int64_t batch) override { call(options_.on_predict_batch_end, batch); }

  bool uses_batches() const override {
    return options_.on_train_batch_begin || options_.on_train_batch_end ||
           options_.on_test_batch_begin || options_.on_test_batch_end ||
           options_.on_predict_batch_begin || options_.on_predict_batch_end;
  }

 private:
  template <class F, class... Arguments>
  static void call(const F& function, Arguments&&... arguments) {
    if (function) function(arguments...);
  }

  LambdaCallbackOptions options_;
};

}  // namespace alula::keras::callbacks
