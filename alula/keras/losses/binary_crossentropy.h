#pragma once
#include "alula/keras/losses/loss.h"

namespace alula::keras::losses {

struct BinaryCrossentropyFunctionOptions {
  bool from_logits = false;      // y_pred are no probabilities but what sigmoid takes
  double label_smoothing = 0.0;  // labels move by this share towards 1/2
  int64_t axis = -1;             // the mean is taken along it
};

/// -(y log(p) + (1 - y) log(1 - p)), its mean over the last axis. y_true: 0 or 1, y_pred: both
/// [..., n]; result: [...]. Predictions that come straight from a sigmoid are computed from what
/// went into it.
///   binary_crossentropy({{1.f}, {0.f}}, {{0.5f}, {0.5f}})  ->  {0.6931472, 0.6931472}
Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                           const BinaryCrossentropyFunctionOptions& options = {});

class BinaryCrossentropyImpl final : public LossImpl {
 public:
  struct Options {
    bool from_logits = false;
    double label_smoothing = 0.0;
    int64_t axis = -1;
    Reduction reduction = "sum_over_batch_size";
    std::string name = "binary_crossentropy";
  };
  explicit BinaryCrossentropyImpl(const Options& options);
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override;

 private:
  BinaryCrossentropyFunctionOptions options_;
};
/// The same as an object: BinaryCrossentropy({.from_logits = true}).
using BinaryCrossentropy = LossOf<BinaryCrossentropyImpl>;

}  // namespace alula::keras::losses
