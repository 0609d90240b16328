#pragma once
#include <initializer_list>

#include "alula/keras/metrics/metric.h"
#include "alula/keras/setting.h"

/// Metrics of yes and no: labels are 0 or 1, and a prediction above a threshold is a yes. With
/// several thresholds the result is [thresholds].
namespace alula::keras::metrics {

/// One threshold or several: 0.5, {0.2, 0.5, 0.8}. Unset, it is 0.5.
class Thresholds {
 public:
  Thresholds() = default;
  Thresholds(double threshold) : values_{static_cast<float>(threshold)} {}
  Thresholds(std::initializer_list<double> thresholds)
      : values_(thresholds.begin(), thresholds.end()) {}
  Thresholds(const std::vector<double>& thresholds)
      : values_(thresholds.begin(), thresholds.end()) {}
  const std::vector<float>& values() const { return values_; }
  bool given() const { return !values_.empty(); }

 private:
  std::vector<float> values_;
};

/// Sums up yes and no, right and wrong, at each threshold.
class ConfusionImpl : public MetricImpl {
 public:
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight) override;

 protected:
  enum Counted : uint8_t {
    kTruePositives = 1,
    kFalsePositives = 2,
    kTrueNegatives = 4,
    kFalseNegatives = 8
  };
  struct Settings {
    const char* class_name;
    Setting<std::string> name = {};
    Thresholds thresholds = {};
    Setting<int64_t> top_k = {};     // only the k largest predictions of a row can be a yes
    Setting<int64_t> class_id = {};  // only this class is looked at
  };
  /// `counted`: which of the four are kept.
  ConfusionImpl(const Settings& settings, int counted);
  Tensor sum(Counted which) const;
  /// A result of one threshold is a scalar.
  Tensor shaped(const Tensor& result) const;

 private:
  Tensor chosen(const Tensor& x) const;
  Tensor only_top_k(const Tensor& y_pred) const;

  Tensor thresholds_;  // [thresholds, 1]
  Setting<int64_t> top_k_, class_id_;
  Variable sums_[4];
};

/// The right ones of those said to be a yes: true positives / (true + false positives); 0 if there
/// are none.
class PrecisionImpl final : public ConfusionImpl {
 public:
  struct Options {
    Thresholds thresholds = {};
    Setting<int64_t> top_k = {};
    Setting<int64_t> class_id = {};
    Setting<std::string> name = {};
  };
  explicit PrecisionImpl(const Options& options);
  Tensor result() const override;
  Direction direction() const override { return Direction::kUp; }
};
using Precision = MetricOf<PrecisionImpl>;

/// The found ones of those that are a yes: true positives / (true positives + false negatives).
class RecallImpl final : public ConfusionImpl {
 public:
  using Options = PrecisionImpl::Options;
  explicit RecallImpl(const Options& options);
  Tensor result() const override;
  Direction direction() const override { return Direction::kUp; }
};
using Recall = MetricOf<RecallImpl>;

struct ConfusionOptions {
  Thresholds thresholds = {};
  Setting<std::string> name = {};
};

/// How many (or, with weights, how much) of one of the four.
template <int kWhich>
class CountImpl final : public ConfusionImpl {
 public:
  using Options = ConfusionOptions;
  explicit CountImpl(const Options& options);
  Tensor result() const override;
  Direction direction() const override {
    return kWhich == kTruePositives || kWhich == kTrueNegatives ? Direction::kUp : Direction::kDown;
  }
};
using TruePositives = MetricOf<CountImpl<1>>;
using FalsePositives = MetricOf<CountImpl<2>>;
using TrueNegatives = MetricOf<CountImpl<4>>;
using FalseNegatives = MetricOf<CountImpl<8>>;

}  // namespace alula::keras::metrics
