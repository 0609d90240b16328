#pragma once
#include "alula/keras/metrics/metric.h"
#include "alula/keras/setting.h"

namespace alula::keras::metrics {

/// The area under the curve that is drawn as the threshold goes from 1 to 0: of the true positives
/// over the false ones ("ROC"), or of precision over recall ("PR"). Labels are 0 or 1, predictions
/// in [0, 1].
class AUCImpl final : public MetricImpl {
 public:
  struct Options {
    int64_t num_thresholds = 200;
    std::string curve = "ROC";                       // or "PR"
    std::string summation_method = "interpolation";  // or "minoring", "majoring"
    Setting<std::string> name = {};
    bool from_logits = false;  // predictions are what sigmoid takes
  };
  explicit AUCImpl(const Options& options);
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight) override;
  Tensor result() const override;
  void reset_state() override;
  Direction direction() const override { return Direction::kUp; }

 private:
  enum class Curve : uint8_t { kROC, kPR };
  enum class Summation : uint8_t { kInterpolation, kMinoring, kMajoring };

  void check_predictions(const Tensor& p);

  int64_t count_;
  Curve curve_;
  Summation summation_;
  bool from_logits_;
  Variable true_positives_, false_positives_, true_negatives_, false_negatives_;
  Variable least_{Tensor(0.f)}, most_{Tensor(0.f)};  // of all predictions that compiled steps met
};
/// The same as an object: AUC({.curve = "PR"}).
using AUC = MetricOf<AUCImpl>;

}  // namespace alula::keras::metrics
