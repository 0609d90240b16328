#pragma once
#include "alula/keras/layer.h"

namespace alula::keras {

struct GlobalPooling2DOptions {
  Setting<std::string> data_format = {};  // "channels_last"
  bool keepdims = false;                  // whether height and width stay, with size 1
  InputShape input_shape = {};
  std::string name = {};
  bool trainable = true;
  Setting<Policy> dtype = {};
};

class GlobalAveragePooling2DImpl
    : public LayerWith<GlobalAveragePooling2DImpl, GlobalPooling2DOptions> {
 public:
  explicit GlobalAveragePooling2DImpl(const GlobalPooling2DOptions& options);
  Tensor call(const Tensor& x) override;
  Tensor prepare(const Tensor& input) const override;
};

class GlobalMaxPooling2DImpl : public LayerWith<GlobalMaxPooling2DImpl, GlobalPooling2DOptions> {
 public:
  explicit GlobalMaxPooling2DImpl(const GlobalPooling2DOptions& options);
  Tensor call(const Tensor& x) override;
};

namespace layers {
/// The mean of each channel of an image. x: [batch, height, width, channels], result: [batch,
/// channels], or [batch, 1, 1, channels] with keepdims.
using GlobalAveragePooling2D = LayerOf<GlobalAveragePooling2DImpl>;
/// The largest value of each channel of an image. Shapes as in GlobalAveragePooling2D.
using GlobalMaxPooling2D = LayerOf<GlobalMaxPooling2DImpl>;
}  // namespace layers

}  // namespace alula::keras
