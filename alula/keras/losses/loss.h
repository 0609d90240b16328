#pragma once
#include <concepts>
#include <functional>
#include <memory>
#include <string>

#include "alula/core/tensor.h"

namespace alula::keras {

/// How a loss's values, one a sample, become its result. Made from Keras's words:
///   "sum_over_batch_size" or "mean": their sum / their number, whatever the weights
///   "mean_with_sample_weight": their sum / the sum of the weights
///   "sum", "none"
class Reduction {
 public:
  enum class Kind : uint8_t { kMean, kMeanWithSampleWeight, kSum, kNone };
  Reduction(Kind kind) : kind_(kind) {}
  Reduction(const char* word);
  Reduction(const std::string& word) : Reduction(word.c_str()) {}
  Kind kind() const { return kind_; }
  bool operator==(const Reduction&) const = default;

 private:
  Kind kind_;
};

struct LossOptions {
  std::string name = "loss";
  Reduction reduction = "sum_over_batch_size";
};

/// What a loss computes. A loss of one's own derives from it and is passed on as
/// Loss(std::make_shared<MyLoss>()), or named with `using MyLoss = LossOf<MyLossImpl>`.
class LossImpl {
 public:
  explicit LossImpl(const LossOptions& options = {}) : options_(options) {}
  virtual ~LossImpl() = default;
  LossImpl(const LossImpl&) = delete;
  LossImpl& operator=(const LossImpl&) = delete;

  /// The loss of each sample: [batch] of y_true and y_pred [batch, ...], as a rule.
  virtual Tensor call(const Tensor& y_true, const Tensor& y_pred) const = 0;
  /// Which samples count, as bools of the shape of `call`'s result; undefined if all do.
  virtual Tensor mask(const Tensor& y_true, const Tensor& y_pred) const;

  const std::string& name() const { return options_.name; }
  const Reduction& reduction() const { return options_.reduction; }

 private:
  LossOptions options_;
};

/// A plain function that is a loss.
template <class F>
concept LossFunction = std::is_invocable_r_v<Tensor, F, const Tensor&, const Tensor&>;

/// How far predictions are from the truth, as a number. Copies are the same loss.
///   Loss loss = "mean_squared_error";
///   Loss own = [](const Tensor& y_true, const Tensor& y_pred) { return abs(y_true - y_pred); };
///   loss({{1.f, 2.f}}, {{1.f, 4.f}})  ->  2
class Loss {
 public:
  /// No loss: `defined()` is false.
  Loss() = default;
  /// By one of Keras's words: "sparse_categorical_crossentropy", "MeanSquaredError", "mse", …
  Loss(const char* word);
  Loss(const std::string& word) : Loss(word.c_str()) {}
  Loss(std::shared_ptr<LossImpl> impl) : impl_(std::move(impl)) {}
  template <LossFunction F>
    requires(!std::derived_from<F, Loss>)
  Loss(F function) : Loss(from_function(std::move(function), {})) {}
  template <LossFunction F>
    requires(!std::derived_from<F, Loss>)
  Loss(F function, const LossOptions& options)
      : Loss(from_function(std::move(function), options)) {}

  bool defined() const { return impl_ != nullptr; }
  const std::string& name() const { return impl().name(); }
  const LossImpl& impl() const;

  /// The loss of a batch; sample_weight: [batch], or of the shape of the samples' values.
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight = {}) const;

 private:
  using Function = std::function<Tensor(const Tensor&, const Tensor&)>;
  static Loss from_function(Function function, const LossOptions& options);
  std::shared_ptr<LossImpl> impl_;
};

/// A loss of one kind, made from its options: losses::Huber({.delta = 0.5}).
template <class Impl>
class LossOf : public Loss {
 public:
  using Options = typename Impl::Options;
  LossOf(const Options& options = {}) : Loss(std::make_shared<Impl>(options)) {}
};

/// A loss that is a function without options of its own.
template <Tensor (*kFunction)(const Tensor&, const Tensor&), const char* kName>
class PlainLoss final : public LossImpl {
 public:
  struct Options {
    Reduction reduction = "sum_over_batch_size";
    std::string name = kName;
  };
  explicit PlainLoss(const Options& options)
      : LossImpl({.name = options.name, .reduction = options.reduction}) {}
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    return kFunction(y_true, y_pred);
  }
};

namespace losses {
using keras::Loss;
}

}  // namespace alula::keras
