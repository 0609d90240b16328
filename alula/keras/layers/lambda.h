#pragma once
#include <functional>

#include "alula/keras/layer.h"

namespace alula::keras {

class IdentityImpl : public LayerWith<IdentityImpl, LayerOptions> {
 public:
  explicit IdentityImpl(const LayerOptions& options) : LayerWith(options) {}
  Tensor call(const Tensor& x) override;
};

struct LambdaOptions {
  std::function<Tensor(const Tensor&)> function = {};
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class LambdaImpl : public LayerWith<LambdaImpl, LambdaOptions> {
 public:
  explicit LambdaImpl(const LambdaOptions& options);
  Tensor call(const Tensor& x) override;
};

namespace layers {
/// The input itself.
using Identity = LayerOf<IdentityImpl>;
/// Any function of a tensor that has no weights of its own.
///   layers::Lambda({.function = [](const Tensor& x) { return x * x; }})
using Lambda = LayerOf<LambdaImpl>;
}  // namespace layers

}  // namespace alula::keras
