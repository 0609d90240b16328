#pragma once
#include "alula/keras/layer.h"
#include "alula/ops/axes.h"

namespace alula::keras {

struct LayerNormalizationOptions {
  Axes axis = -1;  // one or several
  double epsilon = 1e-3;
  bool center = true;  // whether there is a beta
  bool scale = true;   // whether there is a gamma
  Initializer beta_initializer = "zeros";
  Initializer gamma_initializer = "ones";
  Regularizer beta_regularizer = {};
  Regularizer gamma_regularizer = {};
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class LayerNormalizationImpl : public LayerWith<LayerNormalizationImpl, LayerNormalizationOptions> {
 public:
  explicit LayerNormalizationImpl(const LayerNormalizationOptions& options);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x) override;
  Tensor prepare(const Tensor& input) const override;

  Variable gamma, beta;

 private:
  Tensor normalized(const Tensor& x) const;
};

namespace layers {
/// Gives each example mean 0 and variance 1 along some axes, then scales by gamma and adds beta,
/// which have the shape of those axes.
///   layers::LayerNormalization({.axis = {1, 2}})
using LayerNormalization = LayerOf<LayerNormalizationImpl>;
}  // namespace layers

}  // namespace alula::keras
