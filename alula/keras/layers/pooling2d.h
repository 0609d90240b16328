#pragma once
#include "alula/keras/layer.h"
#include "alula/ops/window.h"

namespace alula::keras {

/// Steps between windows: 2, {2, 1}, or (unless set) as large as the windows.
class PoolStrides {
 public:
  PoolStrides() = default;
  PoolStrides(int64_t both) : PoolStrides(Size2(both)) {}
  PoolStrides(int64_t height, int64_t width) : PoolStrides(Size2(height, width)) {}
  PoolStrides(Size2 strides) : strides_(strides), given_(true) {}
  Size2 value_or(Size2 pool_size) const { return given_ ? strides_ : pool_size; }

 private:
  Size2 strides_;
  bool given_ = false;
};

struct MaxPooling2DOptions {
  Size2 pool_size = 2;
  PoolStrides strides = {};
  Padding padding = Padding::kValid;
  Setting<std::string> data_format = {};  // "channels_last"
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class MaxPooling2DImpl : public LayerWith<MaxPooling2DImpl, MaxPooling2DOptions> {
 public:
  explicit MaxPooling2DImpl(const MaxPooling2DOptions& options);
  Tensor call(const Tensor& x) override;
};

struct AveragePooling2DOptions {
  Size2 pool_size = 0;
  PoolStrides strides = {};
  Padding padding = Padding::kValid;
  Setting<std::string> data_format = {};  // "channels_last"
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class AveragePooling2DImpl : public LayerWith<AveragePooling2DImpl, AveragePooling2DOptions> {
 public:
  explicit AveragePooling2DImpl(const AveragePooling2DOptions& options);
  Tensor call(const Tensor& x) override;
  Tensor prepare(const Tensor& input) const override;
};

namespace layers {
/// The largest value of each window. x: [batch, height, width, channels], result: [batch,
/// out_height, out_width, channels].
///   layers::MaxPooling2D({.pool_size = 2})
using MaxPooling2D = LayerOf<MaxPooling2DImpl>;
/// The mean of each window; padding does not count. Shapes as in MaxPooling2D.
///   layers::AveragePooling2D({.pool_size = 3, .strides = 2, .padding = "same"})
using AveragePooling2D = LayerOf<AveragePooling2DImpl>;
}  // namespace layers

}  // namespace alula::keras
