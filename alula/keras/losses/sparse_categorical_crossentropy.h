#pragma once
#include "alula/keras/losses/loss.h"
#include "alula/keras/setting.h"

namespace alula::keras::losses {

struct SparseCategoricalCrossentropyFunctionOptions {
  bool from_logits = false;            // y_pred are no probabilities but what softmax takes
  Setting<int64_t> ignore_class = {};  // samples with this label don't count
  int64_t axis = -1;                   // the classes; must be the last
};

/// -log of the probability of each sample's class. y_true: the classes' numbers, [...] or [..., 1];
/// y_pred: [..., classes]; result: [...]. Predictions that come straight from a softmax are
/// computed from what went into it.
///   sparse_categorical_crossentropy({1}, {{0.25f, 0.75f}})  ->  {0.2876821}
Tensor sparse_categorical_crossentropy(
    const Tensor& y_true, const Tensor& y_pred,
    const SparseCategoricalCrossentropyFunctionOptions& options = {});

class SparseCategoricalCrossentropyImpl final : public LossImpl {
 public:
  struct Options {
    bool from_logits = false;
    Setting<int64_t> ignore_class = {};
    Reduction reduction = "sum_over_batch_size";
    int64_t axis = -1;
    std::string name = "sparse_categorical_crossentropy";
  };
  explicit SparseCategoricalCrossentropyImpl(const Options& options);
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override;
  Tensor mask(const Tensor& y_true, const Tensor& y_pred) const override;

 private:
  SparseCategoricalCrossentropyFunctionOptions options_;
};
/// The same as an object: SparseCategoricalCrossentropy({.from_logits = true}).
using SparseCategoricalCrossentropy = LossOf<SparseCategoricalCrossentropyImpl>;

}  // namespace alula::keras::losses
