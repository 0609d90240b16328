#include "alula/keras/losses/loss.h"

#include "alula/keras/logits.h"
#include "alula/keras/losses/matching.h"
#include "alula/keras/words.h"
#include "alula/ops/cast.h"
#include "alula/ops/divide_no_nan.h"
#include "alula/ops/fill.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"

namespace alula::keras {
namespace {

using Kind = Reduction::Kind;

constexpr Word<Kind> kReductions[] = {
    {"sum_over_batch_size", Kind::kMean},
    {"mean", Kind::kMean},
    {"mean_with_sample_weight", Kind::kMeanWithSampleWeight},
    {"sum", Kind::kSum},
    {"none", Kind::kNone},
};

class FunctionLoss final : public LossImpl {
 public:
  FunctionLoss(std::function<Tensor(const Tensor&, const Tensor&)> function,
               const LossOptions& options)
      : LossImpl(options), function_(std::move(function)) {}
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    return function_(y_true, y_pred);
  }

 private:
  std::function<Tensor(const Tensor&, const Tensor&)> function_;
};

bool is_empty(const Tensor& values) { return values.shape().is_known() && values.size() == 0; }

Tensor reduce(const Tensor& values, Kind kind) {
  if (kind == Kind::kNone || values.rank() == 0) return values;
  if (is_empty(values)) return Tensor(0.f);  // 0 / 0 is 0
  return kind == Kind::kSum ? reduce_sum(values) : reduce_mean(values);
}

Tensor reduce_weighted(const Pair& weighted, Kind kind) {
  const auto& [values, weights] = weighted;
  if (kind != Kind::kMeanWithSampleWeight || values.rank() == 0) return reduce(values, kind);
  return divide_no_nan(reduce_sum(values), reduce_sum(weights));
}

/// Weights that leave out what the mask leaves out. Where the mean is taken over the number of
/// values, what is left counts for more, so that it is the mean of what is left.
Tensor masked(const Tensor& mask, const Tensor& weights, Kind kind) {
  Tensor counted = as_float(mask);
  if (kind == Kind::kMean)
    counted = counted * divide_no_nan(Tensor(static_cast<float>(mask.size())), reduce_sum(counted));
  if (!weights.defined()) return counted;
  const Pair pair = of_same_rank(counted, as_float(weights));
  return pair.first * pair.second;
}

}  // namespace

Reduction::Reduction(const char* word) : kind_(look_up("reduction", word, kReductions)) {}

Tensor LossImpl::mask(const Tensor&, const Tensor&) const { return {}; }

const LossImpl& Loss::impl() const {
  require<FailedPreconditionError>(defined(), "loss: no loss is set.");
  return *impl_;
}

Loss Loss::from_function(Function function, const LossOptions& options) {
  return Loss(std::make_shared<FunctionLoss>(std::move(function), options));
}

Tensor Loss::operator()(const Tensor& y_true, const Tensor& y_pred,
                        const Tensor& sample_weight) const {
  const LossImpl& loss = impl();
  const char* who = loss.name().c_str();
  check_defined(who, y_true, y_pred);
  const Kind kind = loss.reduction().kind();
  // Where a model computes in 16 bits, that is too few for a loss.
  const Tensor labels = at_least_single(y_true), predictions = at_least_single(y_pred);
  const Tensor values = loss.call(labels, predictions);
  const Tensor mask = loss.mask(labels, predictions);
  if (!mask.defined() && !sample_weight.defined()) return reduce(values, kind);
  const Tensor weights = mask.defined() ? masked(mask, sample_weight, kind) : sample_weight;
  return reduce_weighted(weighted(who, values, weights), kind);
}

}  // namespace alula::keras
