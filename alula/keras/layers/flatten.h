#pragma once
#include "alula/keras/layer.h"

namespace alula::keras {

struct FlattenOptions {
  Setting<std::string> data_format = {};  // "channels_last"
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class FlattenImpl : public LayerWith<FlattenImpl, FlattenOptions> {
 public:
  explicit FlattenImpl(const FlattenOptions& options);
  Tensor call(const Tensor& x) override;
};

namespace layers {
/// All that belongs to an example in one row. x: [batch, ...], result: [batch, n]. A batch of plain
/// numbers becomes [batch, 1].
using Flatten = LayerOf<FlattenImpl>;
}  // namespace layers

}  // namespace alula::keras
