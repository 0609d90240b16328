#pragma once
#include "alula/keras/layer.h"

namespace alula::keras {

struct InputOptions {
  InputShape shape = {};
  Setting<int64_t> batch_size = {};
  Setting<DType> dtype = {};  // float32
  std::string name = {};
};

/// A tensor that stands for the inputs of a model to be: the beginning of the functional way to
/// write one.
///   Tensor x = keras::Input({.shape = {28, 28, 1}});
///   Model model({.inputs = x, .outputs = layers::Dense({.units = 10})(layers::Flatten()(x))});
Tensor Input(const InputOptions& options);

/// What a model's input is: the layer behind `Input`.
class InputLayerImpl final : public LayerImpl {
 public:
  using Options = InputOptions;
  explicit InputLayerImpl(const InputOptions& options);
  Tensor call(const Tensor& x) override { return x; }
  std::shared_ptr<LayerImpl> copy() const override;
  /// Casts to the input's dtype, whatever comes.
  Tensor prepare(const Tensor& input) const override;
  /// The shape with its batch.
  const Shape& shape() const { return shape_; }
  const InputOptions options;

 private:
  Shape shape_;
};

namespace layers {
/// The layer behind `Input`, for the start of a Sequential.
using InputLayer = LayerOf<InputLayerImpl>;
}  // namespace layers

/// The InputLayer that a tensor of `Input` came from.
Layer input_layer_of(const Tensor& input);
/// A new symbolic tensor for an InputLayer.
Tensor symbolic_input(const Layer& input_layer);

}  // namespace alula::keras
