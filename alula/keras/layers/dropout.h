#pragma once
#include "alula/core/random.h"
#include "alula/keras/layer.h"

namespace alula::keras {

struct DropoutOptions {
  double rate = 0;         // of what becomes 0
  Shape noise_shape = {};  // 1 where elements share their fate; the input's unless given
  random::Seed seed = {};
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class DropoutImpl : public LayerWith<DropoutImpl, DropoutOptions> {
 public:
  explicit DropoutImpl(const DropoutOptions& options);
  Tensor call(const Tensor& x) override;
};

namespace layers {
/// In training, sets elements to 0 at random, and scales the others so that the sum is the same on
/// average. Otherwise the input itself.
///   layers::Dropout({.rate = 0.5})
using Dropout = LayerOf<DropoutImpl>;
}  // namespace layers

}  // namespace alula::keras
