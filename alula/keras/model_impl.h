#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "alula/keras/layer.h"
#include "alula/keras/tensor_list.h"

namespace alula::keras {

class CompiledStep;
class Trainer;
struct Batch;

/// One layer of a model as `summary` shows it.
struct LayerRow {
  Layer layer;
  std::vector<Shape> outputs;            // empty if it has not been called
  std::vector<std::string> connections;  // "dense_1[0][0]"
};

/// Steps that a model runs in place of the trainer's; those that are not set stay as they are.
struct OwnSteps {
  /// What a step measured: "loss" and others, which become the logs.
  using Measured = std::vector<std::pair<std::string, Tensor>>;
  std::function<Measured(const Batch&)> train, test;
  std::function<std::vector<Tensor>(const Batch&)> predict;
  std::function<void()> reset;  // before an epoch: starts the model's own metrics again
};

/// A model's inside: a layer made of layers. Override `call` to write one by hand.
///   struct TwoLayersImpl : ModelImpl {
///     layers::Dense hidden{{.units = 64, .activation = "relu"}}, out{{.units = 10}};
///     TwoLayersImpl() { track(hidden, out); }
///     Tensor call(const Tensor& x) override { return out(hidden(x)); }
///   };
///   using TwoLayers = ModelOf<TwoLayersImpl>;
class ModelImpl : public LayerImpl {
 public:
  using LayerImpl::LayerImpl;

  virtual std::vector<Layer> layers() const;
  /// Its layers in the order of `summary`, with what is known of their outputs.
  virtual std::vector<LayerRow> rows() const;
  /// Whether the layers are not one simple chain, so that `summary` says what is connected to what.
  virtual bool is_branched() const { return false; }
  /// The names of the outputs: those of the layers that make them.
  virtual std::vector<std::string> output_names() const;

  /// What `compile` made; none before it.
  std::shared_ptr<Trainer> trainer;
  /// What `predict` runs; made at the first batch.
  std::atomic<std::shared_ptr<CompiledStep>> predictor;
  bool stop_training = false;
  OwnSteps own_steps;
};

/// A model made of calls that were noted: see `Input`.
class FunctionalImpl final : public ModelImpl {
 public:
  FunctionalImpl(const TensorList& inputs, const TensorList& outputs, const std::string& name);

  void build_all(const std::vector<Shape>&) override {}
  Tensor call(const Tensor& x) override;
  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs) override;
  std::shared_ptr<LayerImpl> copy() const override;
  Tensor prepare(const Tensor& input) const override { return input; }
  std::vector<Layer> layers() const override { return sublayers(); }
  std::vector<LayerRow> rows() const override;
  bool is_branched() const override;
  std::vector<std::string> output_names() const override;
  const std::vector<Tensor>& inputs() const { return inputs_; }
  const std::vector<Tensor>& outputs() const { return outputs_; }

 private:
  /// An output of a node.
  struct Operand {
    size_t node = 0;
    int index = 0;
  };
  /// An input of the model, a constant, or a call.
  struct Node {
    std::shared_ptr<const Call> call;  // none: a constant
    Tensor constant;
    std::vector<Operand> inputs;
    int depth = 0;   // the longest way from it to an output
    size_t met = 0;  // when it was met, walking back from the outputs
  };
  Operand visit(const Tensor& tensor);
  size_t find(const Call* call) const;
  void set_depths();
  void track_layers();
  Layer layer_of(const Node& node) const;
  std::string connection(const Operand& operand) const;

  std::vector<Tensor> inputs_, outputs_;  // symbolic
  std::vector<Node> nodes_;               // each after what it needs; the inputs first
  std::vector<Operand> results_;
  size_t met_ = 0;
};

/// A model that calls one layer after another.
class SequentialImpl final : public ModelImpl {
 public:
  SequentialImpl(std::vector<Layer> layers, const std::string& name);

  void add(const Layer& layer);
  void pop();

  void build(const Shape& input) override;
  Tensor call(const Tensor& x) override;
  std::shared_ptr<LayerImpl> copy() const override;
  Tensor prepare(const Tensor& input) const override;
  std::vector<Layer> layers() const override { return sublayers(); }
  std::vector<LayerRow> rows() const override;
  std::vector<std::string> output_names() const override;
  /// The symbolic tensors that it begins and ends with; undefined until it is built.
  const Tensor& input() const { return symbol_; }
  const Tensor& output() const { return result_; }

 private:
  void build_from_input();
  void check_name(const Layer& layer) const;

  Layer input_;                 // an InputLayer, once the input's shape is known
  std::vector<Shape> outputs_;  // of each layer
  Tensor symbol_, result_;
};

}  // namespace alula::keras
