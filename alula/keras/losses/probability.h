#pragma once
#include "alula/keras/losses/loss.h"

/// Losses of predicted distributions and counts. y_true and y_pred: [..., n]; results: [...].
namespace alula::keras::losses {

/// sum(y_true * log(y_true / y_pred)), both kept within [1e-7, 1]
///   kl_divergence({{1.f, 0.f}}, {{0.5f, 0.5f}})  ->  {0.6931457}
Tensor kl_divergence(const Tensor& y_true, const Tensor& y_pred);
/// mean(y_pred - y_true * log(y_pred + 1e-7))
///   poisson({{1.f}}, {{1.f}})  ->  {1}
Tensor poisson(const Tensor& y_true, const Tensor& y_pred);

inline constexpr char kKLDivergence[] = "kl_divergence";
inline constexpr char kPoisson[] = "poisson";

/// These as objects: KLDivergence({.reduction = "sum"}).
using KLDivergence = LossOf<PlainLoss<kl_divergence, kKLDivergence>>;
using Poisson = LossOf<PlainLoss<poisson, kPoisson>>;

}  // namespace alula::keras::losses
