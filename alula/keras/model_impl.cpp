#include "alula/keras/model_impl.h"

namespace alula::keras {

std::vector<Layer> ModelImpl::layers() const { return sublayers(); }

std::vector<LayerRow> ModelImpl::rows() const {
  std::vector<LayerRow> rows;
  for (const Layer& layer : layers())
    rows.push_back({.layer = layer, .outputs = {}, .connections = {}});
  return rows;
}

std::vector<std::string> ModelImpl::output_names() const { return {"output_0"}; }

}  // namespace alula::keras
