#pragma once
#include "alula/keras/layer.h"

namespace alula::keras {

struct ReshapeOptions {
  Shape target_shape = {};  // of an example, without the batch; one may be -1
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class ReshapeImpl : public LayerWith<ReshapeImpl, ReshapeOptions> {
 public:
  explicit ReshapeImpl(const ReshapeOptions& options);
  Tensor call(const Tensor& x) override;
};

namespace layers {
/// Each example in another shape. x: [batch, ...], result: [batch, target_shape...].
///   layers::Reshape({.target_shape = {7, 7, -1}})
using Reshape = LayerOf<ReshapeImpl>;
}  // namespace layers

}  // namespace alula::keras
