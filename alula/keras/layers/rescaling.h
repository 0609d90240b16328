#pragma once
#include "alula/keras/layer.h"

namespace alula::keras {

struct RescalingOptions {
  double scale = 1;
  double offset = 0;
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class RescalingImpl : public LayerWith<RescalingImpl, RescalingOptions> {
 public:
  explicit RescalingImpl(const RescalingOptions& options) : LayerWith(options) {}
  Tensor call(const Tensor& x) override;
  Tensor prepare(const Tensor& input) const override;
};

namespace layers {
/// x * scale + offset, of the layer's dtype whatever the input's.
///   layers::Rescaling({.scale = 1.0 / 255})
using Rescaling = LayerOf<RescalingImpl>;
}  // namespace layers

}  // namespace alula::keras
