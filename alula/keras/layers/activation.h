#pragma once
#include "alula/keras/activations.h"
#include "alula/keras/layer.h"

namespace alula::keras {

struct ActivationOptions {
  Activation activation = {};
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class ActivationImpl : public LayerWith<ActivationImpl, ActivationOptions> {
 public:
  explicit ActivationImpl(const ActivationOptions& options) : LayerWith(options) {}
  Tensor call(const Tensor& x) override { return options.activation(x); }
};

struct ReLUOptions {
  Setting<double> max_value = {};  // without bound
  double negative_slope = 0;
  double threshold = 0;
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class ReLUImpl : public LayerWith<ReLUImpl, ReLUOptions> {
 public:
  explicit ReLUImpl(const ReLUOptions& options);
  Tensor call(const Tensor& x) override;
};

struct LeakyReLUOptions {
  double negative_slope = 0.3;
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class LeakyReLUImpl : public LayerWith<LeakyReLUImpl, LeakyReLUOptions> {
 public:
  explicit LeakyReLUImpl(const LeakyReLUOptions& options) : LayerWith(options) {}
  Tensor call(const Tensor& x) override;
};

struct ELUOptions {
  double alpha = 1;
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class ELUImpl : public LayerWith<ELUImpl, ELUOptions> {
 public:
  explicit ELUImpl(const ELUOptions& options) : LayerWith(options) {}
  Tensor call(const Tensor& x) override;
};

struct SoftmaxLayerOptions {
  int64_t axis = -1;
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class SoftmaxImpl : public LayerWith<SoftmaxImpl, SoftmaxLayerOptions> {
 public:
  explicit SoftmaxImpl(const SoftmaxLayerOptions& options) : LayerWith(options) {}
  Tensor call(const Tensor& x) override;
};

namespace layers {
/// A function of each element, by its word or as a function.
///   layers::Activation({.activation = "relu"})
using Activation = LayerOf<ActivationImpl>;
/// x above the threshold, at most max_value, and a line of negative_slope below it.
///   layers::ReLU({.max_value = 6.0})
using ReLU = LayerOf<ReLUImpl>;
/// x above 0, negative_slope * x below.
using LeakyReLU = LayerOf<LeakyReLUImpl>;
/// x above 0, alpha * (exp(x) - 1) below.
using ELU = LayerOf<ELUImpl>;
/// exp(x) / sum(exp(x)) along an axis.
using Softmax = LayerOf<SoftmaxImpl>;
}  // namespace layers

}  // namespace alula::keras
