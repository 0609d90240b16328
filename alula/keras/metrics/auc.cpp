#include "alula/keras/metrics/auc.h"

#include <algorithm>
#include <cmath>

#include "alula/keras/losses/matching.h"
#include "alula/keras/words.h"
#include "alula/ops/cast.h"
#include "alula/ops/ceil.h"
#include "alula/ops/clip.h"
#include "alula/ops/cumsum.h"
#include "alula/ops/maximum.h"
#include "alula/ops/minimum.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/reshape.h"
#include "alula/ops/scatter_nd.h"
#include "alula/ops/sigmoid.h"
#include "alula/ops/tile.h"

namespace alula::keras::metrics {
namespace {

double quotient(double a, double b) { return b == 0 ? 0 : a / b; }

std::vector<double> values_of(const Variable& variable) {
  const std::vector<float> values = variable.value().to_vector<float>();
  return {values.begin(), values.end()};
}

void check_range(const char* who, const Tensor& least, const Tensor& most) {
  require(least.item<float>() >= 0 && most.item<float>() <= 1,
          "{}: predictions must be in [0, 1]. Got some from {} to {}. Set from_logits if they are "
          "logits.",
          who, least.item<float>(), most.item<float>());
}

}  // namespace

AUCImpl::AUCImpl(const Options& options)
    : MetricImpl(options.name.given() ? options.name.value() : unique_name("auc")),
      count_(options.num_thresholds),
      from_logits_(options.from_logits) {
  require(count_ >= 2, "{}: num_thresholds must be at least 2. Got {}.", name(), count_);
  static constexpr Word<Curve> kCurves[] = {{"ROC", Curve::kROC}, {"PR", Curve::kPR}};
  static constexpr Word<Summation> kSummations[] = {{"interpolation", Summation::kInterpolation},
                                                    {"minoring", Summation::kMinoring},
                                                    {"majoring", Summation::kMajoring}};
  curve_ = look_up("curve", options.curve, kCurves);
  summation_ = look_up("summation_method", options.summation_method, kSummations);
  true_positives_ = add_variable("true_positives", {count_});
  false_positives_ = add_variable("false_positives", {count_});
  true_negatives_ = add_variable("true_negatives", {count_});
  false_negatives_ = add_variable("false_negatives", {count_});
}

/// While a function is traced there is nothing to look at: what a run meets is noted instead, and
/// `result` complains.
void AUCImpl::check_predictions(const Tensor& p) {
  if (p.size() == 0) return;
  const Tensor least = reduce_min(p), most = reduce_max(p);
  if (!p.is_symbolic()) return check_range(name().c_str(), least, most);
  least_.assign(minimum(least_.value(), least));
  most_.assign(maximum(most_.value(), most));
}

void AUCImpl::reset_state() {
  MetricImpl::reset_state();
  least_.assign(Tensor(0.f));
  most_.assign(Tensor(0.f));
}

/// Thresholds lie at equal distances, so each prediction falls into one bucket between two of them,
/// and the sums at a threshold are those of all buckets above it.
void AUCImpl::update_state(const Tensor& y_true, const Tensor& y_pred,
                           const Tensor& sample_weight) {
  const char* who = name().c_str();
  const auto [labels, given] = matched_exactly(who, y_true, y_pred);
  const Tensor p = reshape(from_logits_ ? sigmoid(given) : given, {-1});
  check_predictions(p);
  const Tensor y = reshape(labels, {-1});
  Tensor yes = y, no = 1 - y;
  if (sample_weight.defined()) {
    Tensor weights = of_same_rank(given, as_float(sample_weight)).second;
    while (weights.rank() < given.rank()) weights = expand_dims(weights, -1);
    weights = reshape(broadcast_to(weights, given.shape()), {-1});
    yes = yes * weights;
    no = no * weights;
  }
  const Tensor bucket = cast(clip(ceil(p * (count_ - 1)) - 1, 0, count_ - 1), int32);
  const Tensor places = expand_dims(bucket, -1);
  const Tensor tp = cumsum(scatter_nd(places, yes, {count_}), {.reverse = true});
  const Tensor fp = cumsum(scatter_nd(places, no, {count_}), {.reverse = true});
  const Tensor tn = reduce_sum(no) - fp, fn = reduce_sum(yes) - tp;
  true_positives_.assign_add(tp);
  false_positives_.assign_add(fp);
  true_negatives_.assign_add(tn);
  false_negatives_.assign_add(fn);
}

Tensor AUCImpl::result() const {
  check_range(name().c_str(), least_, most_);
  const std::vector<double> tp = values_of(true_positives_), fp = values_of(false_positives_),
                            tn = values_of(true_negatives_), fn = values_of(false_negatives_);
  double area = 0;
  for (int64_t i = 0; i + 1 < count_; ++i) {
    if (curve_ == Curve::kPR && summation_ == Summation::kInterpolation) {
      // Between two thresholds precision is not linear: true positives are, over all positives.
      const double p0 = tp[i] + fp[i], p1 = tp[i + 1] + fp[i + 1];
      const double more = tp[i] - tp[i + 1];
      const double slope = quotient(more, std::max(p0 - p1, 0.0));
      const double intercept = tp[i + 1] - slope * p1;
      const double ratio = p0 > 0 && p1 > 0 ? p0 / p1 : 1;
      area += quotient(slope * (more + intercept * std::log(ratio)), tp[i + 1] + fn[i + 1]);
      continue;
    }
    const auto x = [&](int64_t k) {
      return curve_ == Curve::kROC ? quotient(fp[k], fp[k] + tn[k])
                                   : quotient(tp[k], tp[k] + fn[k]);
    };
    const auto y = [&](int64_t k) {
      return curve_ == Curve::kROC ? quotient(tp[k], tp[k] + fn[k])
                                   : quotient(tp[k], tp[k] + fp[k]);
    };
    const double height = summation_ == Summation::kInterpolation ? (y(i) + y(i + 1)) / 2
                          : summation_ == Summation::kMinoring    ? std::min(y(i), y(i + 1))
                                                                  : std::max(y(i), y(i + 1));
    area += (x(i) - x(i + 1)) * height;
  }
  return Tensor(static_cast<float>(area));
}

}  // namespace alula::keras::metrics
