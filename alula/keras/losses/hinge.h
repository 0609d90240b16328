#pragma once
#include "alula/keras/losses/loss.h"

/// Losses that ask for a margin. y_true: -1 or 1 (if all are 0 or 1, they count as -1 and 1),
/// y_pred: [..., n]; results: [...].
namespace alula::keras::losses {

/// mean(max(1 - y_true * y_pred, 0))
///   hinge({{1.f, -1.f}}, {{0.5f, 0.5f}})  ->  {1}
Tensor hinge(const Tensor& y_true, const Tensor& y_pred);
/// mean(max(1 - y_true * y_pred, 0)^2)
Tensor squared_hinge(const Tensor& y_true, const Tensor& y_pred);
/// max(largest wrong score - right score + 1, 0), of one-hot y_true.
///   categorical_hinge({{0.f, 1.f}}, {{0.5f, 0.25f}})  ->  {1.25}
Tensor categorical_hinge(const Tensor& y_true, const Tensor& y_pred);

inline constexpr char kHinge[] = "hinge";
inline constexpr char kSquaredHinge[] = "squared_hinge";
inline constexpr char kCategoricalHinge[] = "categorical_hinge";

/// These as objects: Hinge({.reduction = "sum"}).
using Hinge = LossOf<PlainLoss<hinge, kHinge>>;
using SquaredHinge = LossOf<PlainLoss<squared_hinge, kSquaredHinge>>;
using CategoricalHinge = LossOf<PlainLoss<categorical_hinge, kCategoricalHinge>>;

}  // namespace alula::keras::losses
