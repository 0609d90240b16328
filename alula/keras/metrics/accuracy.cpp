#include "alula/keras/metrics/accuracy.h"

#include "alula/keras/losses/matching.h"
#include "alula/ops/arg_reduce.h"
#include "alula/ops/cast.h"
#include "alula/ops/operators.h"
#include "alula/ops/reshape.h"
#include "alula/ops/top_k.h"

namespace alula::keras::metrics {
namespace {

/// The numbers of the classes that one-hot labels stand for.
Tensor classes_of(const char* who, const Tensor& y_true, const Tensor& y_pred) {
  check_defined(who, y_true, y_pred);
  require(y_true.rank() >= 1 && compatible(y_true.shape(), y_pred.shape()),
          "{}: labels and predictions must both be [..., classes]. Got labels {}, predictions {}.",
          who, y_true.spec(), y_pred.spec());
  return argmax(y_true, {.axis = -1, .output_type = int32});
}

/// 1 where the largest prediction is that of the class.
Tensor hits(const Tensor& classes, const Tensor& y_pred) {
  return as_float(classes == argmax(y_pred, {.axis = -1, .output_type = classes.dtype()}));
}

Tensor hits_among(const char* who, const Tensor& classes, const Tensor& y_pred, int64_t k) {
  require(k > 0, "{}: k must be at least 1. Got {}.", who, k);
  const Tensor scores = as_float(y_pred);
  if (scores.rank() == 2) return as_float(in_top_k(classes, scores, k));
  const Tensor flat =
      in_top_k(reshape(classes, {-1}), reshape(scores, {-1, scores.shape().back()}), k);
  return reshape(as_float(flat), classes.shape());
}

Tensor binary(const Tensor& y_true, const Tensor& y_pred) {
  return binary_accuracy(y_true, y_pred);
}

}  // namespace

Tensor accuracy(const Tensor& y_true, const Tensor& y_pred) {
  const auto [y, p] = matched(kAccuracy, y_true, y_pred);
  return as_float(y == p);
}

Tensor binary_accuracy(const Tensor& y_true, const Tensor& y_pred,
                       const BinaryAccuracyFunctionOptions& options) {
  const auto [y, p] = matched("binary_accuracy", y_true, y_pred);
  return as_float(y == as_float(p > options.threshold));
}

Tensor categorical_accuracy(const Tensor& y_true, const Tensor& y_pred) {
  return hits(classes_of(kCategoricalAccuracy, y_true, y_pred), y_pred);
}

Tensor sparse_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred) {
  return hits(class_labels(kSparseCategoricalAccuracy, y_true, y_pred), y_pred);
}

Tensor top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred,
                                  const TopKFunctionOptions& options) {
  const char* who = "top_k_categorical_accuracy";
  return hits_among(who, classes_of(who, y_true, y_pred), y_pred, options.k);
}

Tensor sparse_top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred,
                                         const TopKFunctionOptions& options) {
  const char* who = "sparse_top_k_categorical_accuracy";
  return hits_among(who, class_labels(who, y_true, y_pred), y_pred, options.k);
}

BinaryAccuracyImpl::BinaryAccuracyImpl(const Options& options)
    : MeanMetricWrapperImpl(
          [threshold = options.threshold](const Tensor& y_true, const Tensor& y_pred) {
            return binary_accuracy(y_true, y_pred, {.threshold = threshold});
          },
          {.name = options.name, .direction = Direction::kUp}) {
  require(options.threshold > 0 && options.threshold < 1,
          "{}: the threshold must be between 0 and 1. Got {}.", options.name, options.threshold);
}

TopKCategoricalAccuracyImpl::TopKCategoricalAccuracyImpl(const Options& options)
    : MeanMetricWrapperImpl(
          [k = options.k](const Tensor& y_true, const Tensor& y_pred) {
            return top_k_categorical_accuracy(y_true, y_pred, {.k = k});
          },
          {.name = options.name, .direction = Direction::kUp}) {}

SparseTopKCategoricalAccuracyImpl::SparseTopKCategoricalAccuracyImpl(const Options& options)
    : MeanMetricWrapperImpl(
          [k = options.k](const Tensor& y_true, const Tensor& y_pred) {
            return sparse_top_k_categorical_accuracy(y_true, y_pred, {.k = k});
          },
          {.name = options.name, .direction = Direction::kUp}) {}

ChosenAccuracyImpl::ChosenAccuracyImpl(const std::string& name) : MeanImpl({.name = name}) {
  set_direction(Direction::kUp);
}

void ChosenAccuracyImpl::update_state(const Tensor& y_true, const Tensor& y_pred,
                                      const Tensor& sample_weight) {
  if (function_ == nullptr) {
    const Task task = task_of(name().c_str(), y_true, y_pred);
    function_ = task == Task::kBinary   ? binary
                : task == Task::kSparse ? sparse_categorical_accuracy
                                        : categorical_accuracy;
  }
  add(function_(y_true, y_pred), sample_weight);
}

}  // namespace alula::keras::metrics
