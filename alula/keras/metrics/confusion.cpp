#include "alula/keras/metrics/confusion.h"

#include <algorithm>
#include <cmath>

#include "alula/keras/losses/matching.h"
#include "alula/keras/words.h"
#include "alula/ops/cast.h"
#include "alula/ops/divide_no_nan.h"
#include "alula/ops/fill.h"
#include "alula/ops/gather.h"
#include "alula/ops/one_hot.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/reshape.h"
#include "alula/ops/tile.h"
#include "alula/ops/top_k.h"
#include "alula/ops/where.h"

namespace alula::keras::metrics {
namespace {

/// Less than any prediction: what is not among the largest.
constexpr double kNever = -1e10;

constexpr const char* kSumNames[] = {"true_positives", "false_positives", "true_negatives",
                                     "false_negatives"};

std::vector<float> thresholds_of(const char* who, const Thresholds& given, bool top_k) {
  for (float t : given.values())
    require(t >= 0 && t <= 1, "{}: thresholds must be in [0, 1]. Got {}.", who, t);
  if (given.given()) return given.values();
  return {top_k ? static_cast<float>(kNever) : 0.5f};
}

/// Weights of the predictions' shape: one a sample counts for all of its predictions.
Tensor weights_like(const char* who, const Tensor& given, const Tensor& y_pred) {
  Tensor weights = of_same_rank(y_pred, as_float(given)).second;
  while (weights.rank() < y_pred.rank()) weights = expand_dims(weights, -1);
  bool fits = weights.rank() == y_pred.rank();
  for (int i = 0; fits && i < weights.rank(); ++i)
    fits = weights.shape()[i] == 1 || weights.shape()[i] == y_pred.shape()[i];
  require(fits, "{}: the sample weights don't fit. Got weights {} for predictions {}.", who,
          given.spec(), y_pred.spec());
  return broadcast_to(weights, y_pred.shape());
}

}  // namespace

ConfusionImpl::ConfusionImpl(const Settings& settings, int counted)
    : MetricImpl(settings.name.given() ? settings.name.value()
                                       : unique_name(snake_case(settings.class_name))),
      top_k_(settings.top_k),
      class_id_(settings.class_id) {
  const std::vector<float> thresholds =
      thresholds_of(name().c_str(), settings.thresholds, top_k_.given());
  const auto count = static_cast<int64_t>(thresholds.size());
  thresholds_ = Tensor(thresholds, {count, 1});
  require(top_k_.value_or(1) > 0, "{}: top_k must be at least 1. Got {}.", name(),
          top_k_.value_or(1));
  for (int i = 0; i < 4; ++i)
    if (counted & (1 << i)) sums_[i] = add_variable(kSumNames[i], {count});
}

Tensor ConfusionImpl::chosen(const Tensor& x) const {
  if (!class_id_.given()) return x;
  const int64_t id = class_id_.value();
  require(x.rank() >= 1 && id >= 0 && id < x.shape().back(),
          "{}: there is no class {} among predictions {}.", name(), id, x.spec());
  return gather(x, Tensor(id), {.axis = -1});
}

Tensor ConfusionImpl::only_top_k(const Tensor& y_pred) const {
  if (!top_k_.given()) return y_pred;
  const int64_t classes = y_pred.rank() == 0 ? 0 : y_pred.shape().back();
  require(top_k_.value() <= classes, "{}: top_k is {}, but there are {} classes.", name(),
          top_k_.value(), classes);
  const Tensor places = top_k(y_pred, top_k_.value()).indices;
  const Tensor among = reduce_sum(one_hot(places, classes), {.axis = -2}) > 0;
  return where(among, y_pred, kNever);
}

void ConfusionImpl::update_state(const Tensor& y_true, const Tensor& y_pred,
                                 const Tensor& sample_weight) {
  const char* who = name().c_str();
  const auto [labels, predictions] = matched_exactly(who, y_true, y_pred);
  const Tensor p = chosen(only_top_k(predictions));
  const Tensor yes = reshape(cast(chosen(labels), boolean), {1, -1});
  const Tensor said = reshape(p, {1, -1}) > thresholds_;
  const Tensor weights =
      sample_weight.defined() ? reshape(weights_like(who, sample_weight, p), {1, -1}) : Tensor();
  const Tensor right[] = {yes, !yes, !yes, yes};
  Tensor sums[4];
  for (int i = 0; i < 4; ++i) {
    if (!sums_[i].defined()) continue;
    Tensor counted = as_float((i < 2 ? said : !said) && right[i]);
    if (weights.defined()) counted = counted * weights;
    sums[i] = reduce_sum(counted, {.axis = 1});
  }
  for (int i = 0; i < 4; ++i)
    if (sums[i].defined()) sums_[i].assign_add(sums[i]);
}

Tensor ConfusionImpl::sum(Counted which) const {
  for (int i = 0; i < 4; ++i)
    if (which == (1 << i)) return sums_[i];
  return {};
}

Tensor ConfusionImpl::shaped(const Tensor& result) const {
  return result.size() == 1 ? reshape(result, {}) : result;
}

PrecisionImpl::PrecisionImpl(const Options& options)
    : ConfusionImpl(
          {"Precision", options.name, options.thresholds, options.top_k, options.class_id},
          kTruePositives | kFalsePositives) {}

Tensor PrecisionImpl::result() const {
  const Tensor right = sum(kTruePositives);
  return shaped(divide_no_nan(right, right + sum(kFalsePositives)));
}

RecallImpl::RecallImpl(const Options& options)
    : ConfusionImpl({"Recall", options.name, options.thresholds, options.top_k, options.class_id},
                    kTruePositives | kFalseNegatives) {}

Tensor RecallImpl::result() const {
  const Tensor right = sum(kTruePositives);
  return shaped(divide_no_nan(right, right + sum(kFalseNegatives)));
}

template <int kWhich>
CountImpl<kWhich>::CountImpl(const Options& options)
    : ConfusionImpl({kWhich == kTruePositives    ? "TruePositives"
                     : kWhich == kFalsePositives ? "FalsePositives"
                     : kWhich == kTrueNegatives  ? "TrueNegatives"
                                                 : "FalseNegatives",
                     options.name, options.thresholds},
                    kWhich) {}

template <int kWhich>
Tensor CountImpl<kWhich>::result() const {
  return shaped(sum(static_cast<Counted>(kWhich)));
}

template class CountImpl<1>;
template class CountImpl<2>;
template class CountImpl<4>;
template class CountImpl<8>;

}  // namespace alula::keras::metrics
