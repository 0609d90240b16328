#pragma once
#include "alula/keras/layer.h"

namespace alula::keras {

struct BatchNormalizationOptions {
  int64_t axis = -1;  // of the channels
  double momentum = 0.99;
  double epsilon = 1e-3;
  bool center = true;  // whether there is a beta
  bool scale = true;   // whether there is a gamma
  Initializer beta_initializer = "zeros";
  Initializer gamma_initializer = "ones";
  Initializer moving_mean_initializer = "zeros";
  Initializer moving_variance_initializer = "ones";
  Regularizer beta_regularizer = {};
  Regularizer gamma_regularizer = {};
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class BatchNormalizationImpl : public LayerWith<BatchNormalizationImpl, BatchNormalizationOptions> {
 public:
  explicit BatchNormalizationImpl(const BatchNormalizationOptions& options);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x) override;
  Tensor prepare(const Tensor& input) const override;

  Variable gamma, beta, moving_mean, moving_variance;

 private:
  Tensor by_batch(const Tensor& x);
  Tensor by_moving_averages(const Tensor& x) const;
  Tensor scale_or_ones() const;
  Tensor center_or_zeros() const;

  Tensor ones_, zeros_;  // in the place of a gamma or beta that is not there
};

namespace layers {
/// Gives each channel mean 0 and variance 1, then scales by gamma and adds beta. In training by the
/// statistics of the batch, which are averaged over time; otherwise, and if the layer is frozen, by
/// those averages.
///   layers::BatchNormalization({.momentum = 0.9})
using BatchNormalization = LayerOf<BatchNormalizationImpl>;
}  // namespace layers

}  // namespace alula::keras
