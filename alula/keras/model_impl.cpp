#include "alula/keras/model_impl.h"

#include "alula/keras/input.h"

namespace alula::keras {
namespace {

/// What a layer gives for the inputs that it was built for; nothing if that cannot be told.
std::vector<Shape> outputs_of(const Layer& layer) {
  std::vector<Tensor> inputs;
  for (const Shape& shape : layer.impl().built_from()) {
    if (shape.rank() == 0) return {};
    InputOptions options{.shape = shape.slice(1, shape.rank()), .name = "input"};
    if (shape[0] != kUnknown) options.batch_size = shape[0];
    inputs.push_back(Input(options));
  }
  std::vector<Shape> shapes;
  try {
    if (!inputs.empty())
      for (const Tensor& output : layer.call_all(inputs)) shapes.push_back(output.shape());
  } catch (const Error&) {
    shapes.clear();  // one that looks at values
  }
  return shapes;
}

}  // namespace

std::vector<Layer> ModelImpl::layers() const { return sublayers(); }

std::vector<LayerRow> ModelImpl::rows() const {
  std::vector<LayerRow> rows;
  for (const Layer& layer : layers())
    rows.push_back({.layer = layer, .outputs = outputs_of(layer), .connections = {}});
  return rows;
}

std::vector<std::string> ModelImpl::output_names() const { return {"output_0"}; }

}  // namespace alula::keras
