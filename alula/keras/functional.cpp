#include <algorithm>
#include <map>
#include <set>

#include "alula/keras/input.h"
#include "alula/keras/model_impl.h"

namespace alula::keras {

FunctionalImpl::FunctionalImpl(const TensorList& inputs, const TensorList& outputs,
                               const std::string& name)
    : ModelImpl({.name = name}), inputs_(inputs.tensors()), outputs_(outputs.tensors()) {
  require(!inputs_.empty() && !outputs_.empty(),
          "Model: it needs inputs and outputs. Got {} inputs and {} outputs.", inputs_.size(),
          outputs_.size());
  for (const Tensor& input : inputs_) {
    input_layer_of(input);  // an error unless it is an Input
    nodes_.push_back({.call = input.note<Symbol>()->call, .constant = {}, .inputs = {}});
  }
  for (const Tensor& output : outputs_) {
    require(output.defined() && output.is_symbolic(),
            "Model: an output must come from the inputs by calls of layers. Got {}.", output);
    results_.push_back(visit(output));
  }
  set_depths();
  track_layers();
  set_built();
}

size_t FunctionalImpl::find(const Call* call) const {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                  [&](const Node& node) { return node.call.get() == call; });
  return static_cast<size_t>(found - nodes_.begin());
}

/// Adds what a tensor is made of, and then the call that makes it.
FunctionalImpl::Operand FunctionalImpl::visit(const Tensor& tensor) {
  if (!tensor.is_symbolic()) {  // such as the value of a variable at that time
    nodes_.push_back({.call = nullptr, .constant = tensor, .inputs = {}});
    return {nodes_.size() - 1, 0};
  }
  const Symbol& symbol = *tensor.note<Symbol>();
  if (const size_t known = find(symbol.call.get()); known < nodes_.size()) {
    if (nodes_[known].met == 0) nodes_[known].met = ++met_;
    return {known, symbol.index};
  }
  Node node{.call = symbol.call, .constant = {}, .inputs = {}, .depth = 0, .met = ++met_};
  if (symbol.call->inputs().empty())
    fail("Model: an output depends on the Input '{}', which is not among the model's inputs.",
         input_layer_of(tensor).name());
  for (const Tensor& input : symbol.call->inputs()) node.inputs.push_back(visit(input));
  nodes_.push_back(std::move(node));
  return {nodes_.size() - 1, symbol.index};
}

void FunctionalImpl::set_depths() {
  for (size_t i = nodes_.size(); i-- > 0;)
    for (const Operand& input : nodes_[i].inputs)
      nodes_[input.node].depth = std::max(nodes_[input.node].depth, nodes_[i].depth + 1);
}

Layer FunctionalImpl::layer_of(const Node& node) const {
  if (const auto* call = dynamic_cast<const LayerCall*>(node.call.get())) return call->layer();
  for (const Tensor& input : inputs_)
    if (input.note<Symbol>()->call == node.call) return input_layer_of(input);
  return {};  // an op, or a constant
}

/// Layers in Keras's order: those far from the outputs first.
void FunctionalImpl::track_layers() {
  struct Place {
    Layer layer;
    int depth = 0;
    size_t met = 0;
  };
  std::map<const LayerImpl*, Place> places;
  for (const Node& node : nodes_) {
    const Layer layer = layer_of(node);
    if (!layer.defined()) continue;
    Place& place =
        places.try_emplace(layer.shared().get(), layer, node.depth, node.met).first->second;
    place.depth = std::max(place.depth, node.depth);
    place.met = std::min(place.met, node.met);
  }
  std::vector<Place> ordered;
  for (const auto& [impl, place] : places) ordered.push_back(place);
  std::sort(ordered.begin(), ordered.end(), [](const Place& a, const Place& b) {
    return a.depth != b.depth ? a.depth > b.depth : a.met < b.met;
  });
  std::set<std::string> names;
  for (const Place& place : ordered) {
    require(names.insert(place.layer.name()).second,
            "Model: two of its layers are called '{}'. Give them names of their own.",
            place.layer.name());
    track(place.layer);
  }
}

Tensor FunctionalImpl::call(const Tensor& x) {
  const std::vector<Tensor> results = call_all({x});
  require(results.size() == 1, "model '{}': it has {} outputs. Use call_all().", name(),
          results.size());
  return results[0];
}

std::vector<Tensor> FunctionalImpl::call_all(const std::vector<Tensor>& inputs) {
  require(inputs.size() == inputs_.size(), "model '{}': takes {} inputs. Got {}.", name(),
          inputs_.size(), inputs.size());
  std::vector<Tensors> values(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.call == nullptr) {
      values[i] = {node.constant};
    } else if (i < inputs_.size()) {
      const Layer input = layer_of(node);
      values[i] = {static_cast<InputLayerImpl&>(input.impl()).prepare(inputs[i])};
    } else {
      std::vector<Tensor> operands;
      for (const Operand& operand : node.inputs)
        operands.push_back(values[operand.node][operand.index]);
      values[i] = node.call->run(operands);
    }
  }
  std::vector<Tensor> results;
  for (const Operand& result : results_) results.push_back(values[result.node][result.index]);
  return results;
}

/// The same calls on new layers, and a layer that is shared stays so.
std::shared_ptr<LayerImpl> FunctionalImpl::copy() const {
  std::map<const LayerImpl*, Layer> copies;
  for (const Layer& layer : sublayers())
    copies.emplace(layer.shared().get(), Layer(layer.impl().copy()));
  std::vector<Tensors> values(nodes_.size());
  std::vector<Tensor> inputs, outputs;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const Layer layer = layer_of(node);
    std::vector<Tensor> operands;
    for (const Operand& operand : node.inputs)
      operands.push_back(values[operand.node][operand.index]);
    if (node.call == nullptr) {
      values[i] = {node.constant};
    } else if (i < inputs_.size()) {
      inputs.push_back(symbolic_input(copies.at(layer.shared().get())));
      values[i] = {inputs.back()};
    } else if (layer.defined()) {
      const auto& call = static_cast<const LayerCall&>(*node.call);
      const std::vector<Tensor> made =
          copies.at(layer.shared().get()).call_all(operands, call.options());
      values[i] = Tensors(made.begin(), made.end());
    } else {
      values[i] = node.call->run(operands);
    }
  }
  for (const Operand& result : results_) outputs.push_back(values[result.node][result.index]);
  auto model = std::make_shared<FunctionalImpl>(inputs, outputs, name());
  model->set_dtype_policy(dtype_policy());
  model->set_class(typeid(FunctionalImpl));
  return model;
}

std::string FunctionalImpl::connection(const Operand& operand) const {
  const Layer layer = layer_of(nodes_[operand.node]);
  if (!layer.defined()) return "-";
  int earlier = 0;  // calls of the same layer before this one
  for (size_t i = 0; i < operand.node; ++i) {
    const Layer other = layer_of(nodes_[i]);
    if (other.defined() && other.shared() == layer.shared()) ++earlier;
  }
  return fmt::format("{}[{}][{}]", layer.name(), earlier, operand.index);
}

std::vector<LayerRow> FunctionalImpl::rows() const {
  // What each call gives, from symbolic tensors: of those that others take, and of the results.
  std::map<std::pair<const Call*, int>, Shape> shapes;
  const auto note = [&](const Tensor& tensor) {
    if (const Symbol* symbol = tensor.is_symbolic() ? tensor.note<Symbol>() : nullptr)
      shapes[{symbol->call.get(), symbol->index}] = tensor.shape();
  };
  for (const Node& node : nodes_)
    if (node.call != nullptr)
      for (const Tensor& input : node.call->inputs()) note(input);
  for (const Tensor& tensor : inputs_) note(tensor);
  for (const Tensor& tensor : outputs_) note(tensor);

  std::vector<LayerRow> rows;
  for (const Layer& layer : sublayers()) {
    LayerRow row{.layer = layer, .outputs = {}, .connections = {}};
    for (const Node& node : nodes_) {
      const Layer called = layer_of(node);
      if (!called.defined() || called.shared() != layer.shared()) continue;
      row.outputs.clear();
      for (const auto& [key, shape] : shapes)
        if (key.first == node.call.get()) row.outputs.push_back(shape);
      for (const Operand& input : node.inputs) row.connections.push_back(connection(input));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

bool FunctionalImpl::is_branched() const {
  std::set<const LayerImpl*> called;
  std::set<int> depths;
  for (const Node& node : nodes_) {
    if (node.call == nullptr) continue;
    const Layer layer = layer_of(node);
    if (layer.defined() && !called.insert(layer.shared().get()).second) return true;
    if (node.inputs.size() > 1 || !depths.insert(node.depth).second) return true;
  }
  return false;
}

std::vector<std::string> FunctionalImpl::output_names() const {
  std::vector<std::string> names;
  for (const Operand& result : results_) {
    const Layer layer = layer_of(nodes_[result.node]);
    names.push_back(layer.defined() ? layer.name() : fmt::format("output_{}", names.size()));
  }
  return names;
}

}  // namespace alula::keras
