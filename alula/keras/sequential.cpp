#include "alula/keras/input.h"
#include "alula/keras/model_impl.h"
#include "alula/keras/words.h"

namespace alula::keras {

SequentialImpl::SequentialImpl(std::vector<Layer> layers, const std::string& name)
    : ModelImpl({.name = name}) {
  // All at once, so that what is known from the start is built once.
  for (const Layer& layer : layers) {
    const bool is_input = dynamic_cast<InputLayerImpl*>(&layer.impl()) != nullptr;
    require(!is_input || (sublayers().empty() && !input_.defined()),
            "Sequential: an Input can only be its first item.");
    check_name(layer);
    if (is_input)
      input_ = layer;
    else
      track(layer);
  }
  build_from_input();
}

void SequentialImpl::check_name(const Layer& layer) const {
  for (const Layer& other : sublayers())
    require(other.name() != layer.name(),
            "Sequential: there is a layer called '{}' already. Give the new one another name.",
            layer.name());
}

void SequentialImpl::add(const Layer& layer) {
  if (dynamic_cast<InputLayerImpl*>(&layer.impl()) != nullptr) {
    require(sublayers().empty() && !input_.defined(),
            "Sequential: an Input can only be its first item.");
    input_ = layer;
    return;
  }
  check_name(layer);
  track(layer);
  build_from_input();
}

void SequentialImpl::pop() {
  std::vector<Layer> layers = sublayers();
  require(!layers.empty(), "Sequential: there is no layer to take away.");
  layers.pop_back();
  untrack_all();
  for (const Layer& layer : layers) track(layer);
  outputs_.clear();
  symbol_ = result_ = {};
  build_from_input();
}

/// Runs the layers on a symbolic input, if the shape of one is known: that makes their weights, and
/// finds out what they give.
void SequentialImpl::build_from_input() {
  if (sublayers().empty()) return;
  if (!input_.defined()) {
    const InputShape& shape = sublayers()[0].impl().base().input_shape;
    if (!shape.given()) return;
    input_ = layers::InputLayer({.shape = shape, .dtype = sublayers()[0].impl().dtype()});
  }
  unique_name("functional");  // Keras makes a model of that name here, and counts it
  outputs_.clear();
  symbol_ = symbolic_input(input_);
  result_ = symbol_;
  for (const Layer& layer : sublayers()) {
    result_ = layer(result_);
    outputs_.push_back(result_.shape());
  }
  set_built();
}

void SequentialImpl::build(const Shape& input) {
  require(!sublayers().empty(), "Sequential: it has no layers yet. Use add().");
  if (input.rank() == 0) return;
  input_ = layers::InputLayer({.shape = input.slice(1, input.rank())});
  build_from_input();
  // Other batches are taken as well, but Keras shows the one that the model was built with.
  for (Shape& shape : outputs_)
    if (shape.rank() > 0) shape[0] = input[0];
}

Tensor SequentialImpl::prepare(const Tensor& input) const {
  if (!input_.defined()) return LayerImpl::prepare(input);
  return static_cast<InputLayerImpl&>(input_.impl()).prepare(input);
}

Tensor SequentialImpl::call(const Tensor& x) {
  Tensor y = x;
  for (const Layer& layer : sublayers()) y = layer.impl().run(y, {});
  return y;
}

std::shared_ptr<LayerImpl> SequentialImpl::copy() const {
  std::vector<Layer> layers;
  if (input_.defined()) layers.emplace_back(input_.impl().copy());
  for (const Layer& layer : sublayers()) layers.emplace_back(layer.impl().copy());
  auto model = std::make_shared<SequentialImpl>(std::move(layers), name());
  model->set_dtype_policy(dtype_policy());
  model->set_class(typeid(SequentialImpl));
  return model;
}

std::vector<LayerRow> SequentialImpl::rows() const {
  std::vector<LayerRow> rows;
  for (size_t i = 0; i < sublayers().size(); ++i) {
    LayerRow row{.layer = sublayers()[i], .outputs = {}, .connections = {}};
    if (i < outputs_.size()) row.outputs = {outputs_[i]};
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> SequentialImpl::output_names() const {
  return {sublayers().empty() ? name() : sublayers().back().name()};
}

}  // namespace alula::keras
