#pragma once
#include "alula/keras/activations.h"
#include "alula/keras/layer.h"

namespace alula::keras {

struct DenseOptions {
  int64_t units = 0;
  Activation activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class DenseImpl : public LayerWith<DenseImpl, DenseOptions> {
 public:
  explicit DenseImpl(const DenseOptions& options);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x) override;
  Tensor prepare(const Tensor& input) const override;

  Variable kernel, bias;
};

namespace layers {
/// activation(x kernel + bias). x: [..., n], result: [..., units].
///   layers::Dense({.units = 10, .activation = "softmax"})
using Dense = LayerOf<DenseImpl>;
}  // namespace layers

}  // namespace alula::keras
