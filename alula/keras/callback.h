#pragma once
#include <concepts>
#include <memory>
#include <utility>

#include "alula/keras/logs.h"

namespace alula::keras {

class Model;

/// Told of what happens in `fit`, `evaluate` and `predict`. Override what is of interest. A
/// callback may add to the logs that it is given: those after it see that.
class Callback {
 public:
  virtual ~Callback() = default;

  virtual void on_train_begin() {}
  virtual void on_train_end(const Logs& /*logs*/) {}
  virtual void on_epoch_begin(int64_t /*epoch*/) {}
  virtual void on_epoch_end(int64_t /*epoch*/, Logs& /*logs*/) {}
  virtual void on_train_batch_begin(int64_t /*batch*/) {}
  virtual void on_train_batch_end(int64_t /*batch*/, const Logs& /*logs*/) {}
  virtual void on_test_begin() {}
  virtual void on_test_end(const Logs& /*logs*/) {}
  virtual void on_test_batch_begin(int64_t /*batch*/) {}
  virtual void on_test_batch_end(int64_t /*batch*/, const Logs& /*logs*/) {}
  virtual void on_predict_begin() {}
  virtual void on_predict_end() {}
  virtual void on_predict_batch_begin(int64_t /*batch*/) {}
  virtual void on_predict_batch_end(int64_t /*batch*/) {}

  /// Whether something is done after each batch. If no callback says yes, `on_train_batch_end` and
  /// `on_test_batch_end` are left out, and with them the numbers that only they would see.
  virtual bool uses_batches() const { return true; }

  /// The model that is trained, from on_train_begin on; an error before that.
  Model& model() const;
  /// The epochs, and the steps of an epoch (kUnknown if it is not known), of the training.
  struct Params {
    int verbose = 0;
    int64_t epochs = 1;
    int64_t steps = -1;
  };
  const Params& params() const { return params_; }

  void set_model(const Model& model);
  void set_params(const Params& params) { params_ = params; }

 private:
  std::shared_ptr<Model> model_;  // a handle of its own, so that it outlives `fit`
  Params params_;
};

/// A callback in the list that `fit` takes: an object of its own, `callbacks::EarlyStopping({…})`,
/// or a pointer to one that its owner wants to look at later.
class CallbackRef {
 public:
  template <std::derived_from<Callback> C>
  CallbackRef(C callback) : callback_(std::make_shared<C>(std::move(callback))) {}
  template <std::derived_from<Callback> C>
  CallbackRef(std::shared_ptr<C> callback) : callback_(std::move(callback)) {
    check();
  }
  template <std::derived_from<Callback> C>
  CallbackRef(C* callback) : callback_(std::shared_ptr<Callback>(), callback) {
    check();
  }

  Callback* operator->() const { return callback_.get(); }
  Callback& operator*() const { return *callback_; }

 private:
  void check() const;

  std::shared_ptr<Callback> callback_;
};

}  // namespace alula::keras
