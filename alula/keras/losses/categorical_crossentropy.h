#pragma once
#include "alula/keras/losses/loss.h"

namespace alula::keras::losses {

struct CategoricalCrossentropyFunctionOptions {
  bool from_logits = false;      // y_pred are no probabilities but what softmax takes
  double label_smoothing = 0.0;  // this share of each label is spread over all classes
  int64_t axis = -1;             // the classes; must be the last
};

/// -sum(y_true * log(y_pred)) over the classes. y_true: one-hot labels or distributions, y_pred:
/// both [..., classes]; result: [...]. Predictions that come straight from a softmax are computed
/// from what went into it.
///   categorical_crossentropy({{0.f, 1.f}}, {{0.25f, 0.75f}})  ->  {0.2876821}
Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                const CategoricalCrossentropyFunctionOptions& options = {});

class CategoricalCrossentropyImpl final : public LossImpl {
 public:
  struct Options {
    bool from_logits = false;
    double label_smoothing = 0.0;
    int64_t axis = -1;
    Reduction reduction = "sum_over_batch_size";
    std::string name = "categorical_crossentropy";
  };
  explicit CategoricalCrossentropyImpl(const Options& options);
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override;

 private:
  CategoricalCrossentropyFunctionOptions options_;
};
/// The same as an object: CategoricalCrossentropy({.label_smoothing = 0.1}).
using CategoricalCrossentropy = LossOf<CategoricalCrossentropyImpl>;

}  // namespace alula::keras::losses
