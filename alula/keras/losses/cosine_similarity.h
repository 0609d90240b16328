#pragma once
#include "alula/keras/losses/loss.h"

namespace alula::keras::losses {

struct CosineSimilarityFunctionOptions {
  int64_t axis = -1;  // along which the vectors lie
};

/// Minus the cosine of the angle between y_true and y_pred: -1 where they point the same way. Both
/// [..., n]; result: [...].
///   cosine_similarity({{1.f, 0.f}}, {{1.f, 1.f}})  ->  {-0.70710677}
Tensor cosine_similarity(const Tensor& y_true, const Tensor& y_pred,
                         const CosineSimilarityFunctionOptions& options = {});

class CosineSimilarityImpl final : public LossImpl {
 public:
  struct Options {
    int64_t axis = -1;
    Reduction reduction = "sum_over_batch_size";
    std::string name = "cosine_similarity";
  };
  explicit CosineSimilarityImpl(const Options& options)
      : LossImpl({.name = options.name, .reduction = options.reduction}), axis_(options.axis) {}
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    return cosine_similarity(y_true, y_pred, {.axis = axis_});
  }

 private:
  int64_t axis_;
};
/// The same as an object: CosineSimilarity({.axis = 1}).
using CosineSimilarity = LossOf<CosineSimilarityImpl>;

}  // namespace alula::keras::losses
