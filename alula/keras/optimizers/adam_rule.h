#pragma once
#include "alula/keras/optimizers/optimizer.h"

/// What Adam and AdamW share.
namespace alula::keras::optimizers {

struct AdamNumbers {
  double beta_1, beta_2, epsilon;
  bool amsgrad;
};
std::vector<OptimizerImpl::Slot> adam_slots(bool amsgrad);
/// The rate, corrected for averages that started at 0.
StepScalars adam_scalars(const StepNumbers& step, const AdamNumbers& adam);
Tensor adam_rate_later(const Tensor& step, const Tensor& rate, const AdamNumbers& adam);
void adam_rule(ElementUpdate& u, const AdamNumbers& adam);

}  // namespace alula::keras::optimizers
