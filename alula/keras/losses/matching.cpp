#include "alula/keras/losses/matching.h"

#include "alula/ops/cast.h"
#include "alula/ops/operators.h"
#include "alula/ops/reshape.h"

namespace alula::keras {
namespace {

bool broadcasts(const Shape& a, const Shape& b) {
  const int rank = std::min(a.rank(), b.rank());
  for (int i = 1; i <= rank; ++i) {
    const int64_t x = a[a.rank() - i], y = b[b.rank() - i];
    if (x != y && x != 1 && y != 1 && x != kUnknown && y != kUnknown) return false;
  }
  return true;
}

}  // namespace

Pair of_same_rank(const Tensor& first, const Tensor& second) {
  const int a = first.rank(), b = second.rank();
  if (a == b + 1 && first.shape().back() == 1) {
    if (b == 1) return {first, expand_dims(second, -1)};
    return {squeeze(first, -1), second};
  }
  if (b == a + 1 && second.shape().back() == 1) {
    if (a == 1) return {expand_dims(first, -1), second};
    return {first, squeeze(second, -1)};
  }
  return {first, second};
}

Tensor as_float(const Tensor& x) { return x.dtype() == float32 ? x : cast(x, float32); }

void check_defined(const char* who, const Tensor& y_true, const Tensor& y_pred) {
  require(y_true.defined(), "{}: the labels are not defined yet.", who);
  require(y_pred.defined(), "{}: the predictions are not defined yet.", who);
}

Pair matched(const char* who, const Tensor& y_true, const Tensor& y_pred) {
  check_defined(who, y_true, y_pred);
  Pair pair = of_same_rank(y_true, y_pred);
  require(pair.first.shape() == pair.second.shape() ||
              broadcasts(pair.first.shape(), pair.second.shape()),
          "{}: labels and predictions don't fit each other. Got labels {}, predictions {}. Both "
          "should have the same shape.",
          who, y_true.spec(), y_pred.spec());
  return {as_float(pair.first), as_float(pair.second)};
}

Pair matched_exactly(const char* who, const Tensor& y_true, const Tensor& y_pred) {
  check_defined(who, y_true, y_pred);
  Pair pair = of_same_rank(y_true, y_pred);
  require(compatible(pair.first.shape(), pair.second.shape()),
          "{}: labels and predictions must have the same shape. Got labels {}, predictions {}.{}",
          who, y_true.spec(), y_pred.spec(),
          y_true.rank() + 1 == y_pred.rank()
              ? " For labels that are numbers of classes use sparse_categorical_crossentropy."
              : "");
  return {as_float(pair.first), as_float(pair.second)};
}

Tensor class_labels(const char* who, const Tensor& y_true, const Tensor& y_pred) {
  check_defined(who, y_true, y_pred);
  const int rank = y_pred.rank();
  require(rank >= 1, "{}: the predictions must be [..., classes]. Got {}.", who, y_pred.spec());
  const bool column = y_true.rank() == rank && y_true.shape().back() == 1;
  const bool fits = column || y_true.rank() + 1 == rank;
  require(fits && compatible(y_true.shape().slice(0, rank - 1), y_pred.shape().slice(0, rank - 1)),
          "{}: takes the number of a class for each row of predictions. Got labels {}, predictions "
          "{}.{}",
          who, y_true.spec(), y_pred.spec(),
          compatible(y_true.shape(), y_pred.shape())
              ? " One-hot labels go with the form of this without \"sparse\" in its name."
              : "");
  require(y_true.dtype() != string, "{}: the labels must be numbers. Got {}.", who, y_true.spec());
  const Tensor labels = column ? squeeze(y_true, -1) : y_true;
  if (labels.dtype() == int32 || labels.dtype() == int64) return labels;
  return cast(labels, size_of(labels.dtype()) < 4 ? int32 : int64);
}

void check_last_axis(const char* who, int64_t axis, const Tensor& y_pred) {
  require(axis == -1 || axis == y_pred.rank() - 1,
          "{}: the classes must be the last axis. Got axis {} of {}. Use transpose().", who, axis,
          y_pred.spec());
}

Task task_of(const char* who, const Tensor& y_true, const Tensor& y_pred) {
  check_defined(who, y_true, y_pred);
  const int64_t last_true = y_true.rank() == 0 ? 0 : y_true.shape().back();
  const int64_t last_pred = y_pred.rank() == 0 ? 0 : y_pred.shape().back();
  if (last_pred == 1) return Task::kBinary;
  if (y_true.rank() < y_pred.rank() || (last_true == 1 && last_pred > 1)) return Task::kSparse;
  return Task::kCategorical;
}

Pair weighted(const char* who, const Tensor& values, const Tensor& weights) {
  const Pair pair = of_same_rank(values, as_float(weights));
  require(pair.first.shape() == pair.second.shape() ||
              broadcasts(pair.first.shape(), pair.second.shape()),
          "{}: the sample weights don't fit. Got weights {} for values {}. One weight a sample is "
          "wanted.",
          who, weights.spec(), values.spec());
  return {pair.first * pair.second, pair.second};
}

}  // namespace alula::keras
