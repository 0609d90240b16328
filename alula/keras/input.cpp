#include "alula/keras/input.h"

#include "alula/ops/cast.h"
#include "alula/ops/reshape.h"

namespace alula::keras {
namespace {

/// The call behind an input: it has no inputs itself.
class InputCall final : public Call {
 public:
  explicit InputCall(Layer layer) : Call({}), layer_(std::move(layer)) {}
  Tensors run(std::span<const Tensor>) const override {
    fail<FailedPreconditionError>("Input: '{}' has no value of its own.", layer_.name());
  }
  const Layer& layer() const { return layer_; }

 private:
  Layer layer_;
};

}  // namespace

InputLayerImpl::InputLayerImpl(const InputOptions& options)
    : LayerImpl({.name = options.name, .dtype = Policy(options.dtype.value_or(float32))}),
      options(options) {
  require(options.shape.given(),
          "Input: the shape of one example must be given, such as .shape = {{28, 28, 1}}.");
  shape_ = options.shape.with_batch();
  shape_[0] = options.batch_size.value_or(kUnknown);
  set_built();
}

std::shared_ptr<LayerImpl> InputLayerImpl::copy() const {
  InputOptions same = options;
  same.name = name();
  auto layer = std::make_shared<InputLayerImpl>(same);
  layer->set_class(typeid(InputLayerImpl));
  return layer;
}

/// An axis of size 1 at the end may be missing, or too many, as in Keras.
Tensor InputLayerImpl::prepare(const Tensor& input) const {
  require(input.defined(), "Input: '{}' got a tensor that is not defined yet.", name());
  Tensor x = input;
  const int rank = shape_.rank();
  if (x.rank() + 1 == rank && shape_.back() == 1) x = expand_dims(x, -1);
  if (x.rank() == rank + 1 && x.shape().back() == 1) x = squeeze(x, -1);
  require(compatible(x.shape(), shape_), "layer '{}' (InputLayer): takes {}. Got {}.", name(),
          Spec{dtype(), shape_}, input.spec());
  return cast(x, dtype());
}

Tensor symbolic_input(const Layer& input_layer) {
  const auto& layer = static_cast<const InputLayerImpl&>(input_layer.impl());
  const Spec spec{layer.dtype(), layer.shape()};
  return symbolic_outputs(std::make_shared<InputCall>(input_layer), {&spec, 1})[0];
}

Tensor Input(const InputOptions& options) { return symbolic_input(layers::InputLayer(options)); }

Layer input_layer_of(const Tensor& input) {
  const Symbol* symbol = input.defined() && input.is_symbolic() ? input.note<Symbol>() : nullptr;
  const auto* call =
      symbol != nullptr ? dynamic_cast<const InputCall*>(symbol->call.get()) : nullptr;
  require(call != nullptr, "keras: an Input is wanted here. Got {}.", input);
  return call->layer();
}

}  // namespace alula::keras
