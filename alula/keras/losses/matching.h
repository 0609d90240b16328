#pragma once
#include <utility>

#include "alula/core/tensor.h"

/// How labels, predictions and weights are made to fit each other.
namespace alula::keras {

/// Keras's fuzz factor: what keeps logarithms and quotients finite.
inline constexpr double kEpsilon = 1e-7;

/// Labels and predictions (or values and weights), made to fit each other.
struct Pair {
  Tensor first, second;
};

/// Both of the same rank where they differ by a last dimension of size 1: beside [n, 1], [n]
/// becomes [n, 1]; otherwise the dimension is dropped.
Pair of_same_rank(const Tensor& first, const Tensor& second);

/// x in float32: what losses and metrics compute in.
Tensor as_float(const Tensor& x);

/// Labels and predictions in float32 and of the same rank; an error naming `who` unless they
/// broadcast.
Pair matched(const char* who, const Tensor& y_true, const Tensor& y_pred);

/// The same, but the shapes must be equal.
Pair matched_exactly(const char* who, const Tensor& y_true, const Tensor& y_pred);

/// An error naming `who` unless both are there.
void check_defined(const char* who, const Tensor& y_true, const Tensor& y_pred);

/// Labels that are the numbers of classes, one a row of predictions [..., classes]: integers,
/// without a last dimension of size 1. An error naming `who` if they are not.
Tensor class_labels(const char* who, const Tensor& y_true, const Tensor& y_pred);

/// An error naming `who` unless `axis` is the last of the predictions.
void check_last_axis(const char* who, int64_t axis, const Tensor& y_pred);

/// What the shapes of labels and predictions say of the task.
enum class Task : uint8_t { kBinary, kSparse, kCategorical };
Task task_of(const char* who, const Tensor& y_true, const Tensor& y_pred);

/// Values times weights, which may have fewer dimensions; `second` are the weights as they were
/// used. An error naming `who` if they don't fit.
Pair weighted(const char* who, const Tensor& values, const Tensor& weights);

}  // namespace alula::keras
