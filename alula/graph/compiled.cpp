#include "alula/graph/compiled.h"

#include <algorithm>

#include "alula/core/log.h"
#include "alula/core/memory.h"
#include "alula/graph/control/control_op.h"
#include "alula/graph/run.h"
#include "alula/graph/stages.h"
#include "alula/runtime/devices.h"
#include "alula/runtime/unheard.h"

namespace alula::graph {
namespace {

Graph without_histories(Graph graph) {
  drop_histories(graph);
  return graph;
}

Graph optimized(Graph graph, const PassOptions& options) {
  const DeviceScope scope(kCPU);  // constants are folded there, wherever the graph is to run
  optimize(graph, options);
  for (const Node& node : graph.nodes)
    for (const Spec& output : node.outputs)
      output.shape.checked_size("function", size_of(output.dtype));
  return graph;
}

}  // namespace

Compiled::Compiled(Graph graph, const PassOptions& options, Device device)
    : by_node_(!has_known_shapes(graph)),
      graph_(by_node_ ? without_histories(std::move(graph))
                      : optimized(without_histories(std::move(graph)), options)) {
  if (by_node_) {
    logging::info(
        "function: it has shapes that are known only when it runs, and so it runs op by op.");
    return;
  }
  if (!device.is_cpu()) {
    on_device_ = std::make_unique<OnDevice>(graph_, options, device);
    return;
  }
  stage_of_ = put_in_stages(graph_);
  layout_ = Layout(graph_, options);
  sort_nodes();
  make_steps();
  room_ = make_room();
}

Compiled::~Compiled() { release(room_); }

void Compiled::sort_nodes() {
  leaves_.assign(static_cast<size_t>(layout_.slots), false);
  const auto goes_out = [&](const Value& value) {
    leaves_[static_cast<size_t>(layout_.place(root_of(graph_, value)).slot)] = true;
  };
  stages_.resize(stage_of_.empty() ? 0 : static_cast<size_t>(std::ranges::max(stage_of_)) + 1);
  for (const Value& output : graph_.outputs) goes_out(output);
  for (const auto& [variable, value] : graph_.updates)
    if (!layout_.last[value.node]) goes_out(value);
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    const Leaf leaf{i, layout_.places[i].empty() ? -1 : layout_.places[i][0].slot};
    switch (node.kind) {
      case Node::Kind::kInput: inputs_.push_back(leaf); break;
      case Node::Kind::kConstant: constants_.push_back(leaf); break;
      case Node::Kind::kVariable: variables_.push_back(leaf); break;
      case Node::Kind::kHost:
      case Node::Kind::kOp: break;
    }
    if (!is_made(node)) continue;
    stages_[static_cast<size_t>(stage_of_[i])].made.push_back(i);
    for (const Value& input : node.inputs) goes_out(input);
  }
}

void Compiled::make_steps() {
  std::vector<std::vector<Step>> bodies(stages_.size());
  std::vector<Step> updates;
  const auto operand = [&](const Value& value) {
    const Layout::Place& place = layout_.place(value);
    return Operand{graph_.spec(value), place.slot, place.offset};
  };
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    if (node.kind != Node::Kind::kOp || is_view(node) || is_made(node)) continue;
    Step step{.op = node.op, .inputs = {}, .outputs = {}};
    for (const Value& input : node.inputs) step.inputs.push_back(operand(input));
    for (size_t k = 0; k < node.outputs.size(); ++k)
      step.outputs.push_back(operand({i, static_cast<int>(k)}));
    (layout_.last[i] ? updates : bodies[static_cast<size_t>(stage_of_[i])])
        .push_back(std::move(step));
  }
  Backend& cpu = backend_of(kCPU);
  for (size_t k = 0; k < stages_.size(); ++k) stages_[k].body = cpu.prepare(std::move(bodies[k]));
  updates_ = cpu.prepare(std::move(updates));
}

Compiled::Room Compiled::make_room() const {
  Room room;
  room.slots.assign(static_cast<size_t>(layout_.slots), nullptr);
  room.held.resize(room.slots.size());
  for (const Leaf& leaf : constants_) {
    const auto slot = static_cast<size_t>(leaf.slot);
    room.held[slot] = moved(graph_.nodes[leaf.node].constant, kCPU);
    room.slots[slot] = const_cast<void*>(room.held[slot].data());
  }
  room.arena = room.slots[0] = memory::allocate(layout_.arena_bytes);
  return room;
}

void Compiled::release(Room& room) const {
  if (room.arena != nullptr) memory::release(room.arena, layout_.arena_bytes);
  room.arena = nullptr;
}

/// One run.
class Compiled::Run {
 public:
  explicit Run(Compiled& compiled)
      : compiled_(compiled), lock_(compiled.mutex_, std::try_to_lock), room_(&compiled.room_) {
    if (lock_.owns_lock()) return;
    own_ = compiled.make_room();  // another thread is at it
    room_ = &own_;
  }
  ~Run() {
    for (const Stage& stage : compiled_.stages_)
      for (size_t i : stage.made)
        for (const Layout::Place& place : compiled_.layout_.places[i]) held(place.slot) = {};
    for (size_t k = 0; k < compiled_.layout_.results.size(); ++k) held(result_slot(k)) = {};
    for (int i : borrowed_) held(i) = {};
    compiled_.release(own_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Tensors operator()(TensorRefs inputs) {
    bind_inputs(inputs);
    bind_variables();
    for (size_t k = 0; k < compiled_.layout_.results.size(); ++k)
      hold(result_slot(k),
           Tensor::uninitialized(compiled_.graph_.spec(compiled_.layout_.results[k])));
    for (const Stage& stage : compiled_.stages_) {
      for (size_t i : stage.made) make(i);
      stage.body->run(room_->slots);
    }
    Tensors outputs;
    for (const Value& output : compiled_.graph_.outputs) outputs.push_back(tensor_of(output));
    bind_variables_to_write();
    compiled_.updates_->run(room_->slots);
    for (const auto& [variable, value] : compiled_.graph_.updates)
      if (!compiled_.layout_.last[value.node]) {
        const Tensor made = tensor_of(value);
        variable.storage() = made.reshaped(made.shape());
      }
    return outputs;
  }

 private:
  int result_slot(size_t k) const { return compiled_.layout_.first_result + static_cast<int>(k); }
  void*& slot(int i) { return room_->slots[static_cast<size_t>(i)]; }
  Tensor& held(int i) { return room_->held[static_cast<size_t>(i)]; }
  void hold(int i, Tensor tensor) {
    held(i) = std::move(tensor);
    slot(i) = const_cast<void*>(std::as_const(held(i)).data());
  }

  /// The caller holds the inputs: they are held here only where they go out again.
  void bind_inputs(TensorRefs inputs) {
    for (size_t k = 0; k < compiled_.inputs_.size(); ++k) {
      const int i = compiled_.inputs_[k].slot;
      if (inputs[k].device().is_cpu() && !compiled_.leaves_[static_cast<size_t>(i)])
        slot(i) = const_cast<void*>(inputs[k].data());
      else
        bind_held(i, inputs[k]);
    }
  }
  /// A variable is not held if nobody gets to see the old value: then it is written in place. One
  /// that is elsewhere moves here, and stays.
  void bind_variables() {
    for (const Leaf& leaf : compiled_.variables_) {
      Tensor& storage = compiled_.graph_.nodes[leaf.node].variable.storage();
      if (!storage.device().is_cpu()) storage = moved(storage, kCPU);
      if (!compiled_.leaves_[static_cast<size_t>(leaf.slot)])
        slot(leaf.slot) = const_cast<void*>(storage.data());
      else
        bind_held(leaf.slot, storage);
    }
  }
  void bind_held(int i, const Tensor& tensor) {
    hold(i, moved(tensor, kCPU));
    borrowed_.push_back(i);
  }

  /// What host code gives, and random numbers.
  void make(size_t i) {
    const Node& node = compiled_.graph_.nodes[i];
    const Tensors values = node.kind == Node::Kind::kHost ? node.host->run({}) : call(node);
    for (size_t k = 0; k < values.size() && k < node.outputs.size(); ++k)
      hold(compiled_.layout_.places[i][k].slot, moved(values[k], kCPU));
  }
  /// A tape around the run hears of none of its calls; of these alone, it would make half a
  /// gradient.
  Tensors call(const Node& node) {
    const Unheard unheard;
    std::vector<Tensor> operands;
    std::vector<const Spec*> specs;
    for (const Value& input : node.inputs) {
      operands.push_back(tensor_of(input));
      specs.push_back(&compiled_.graph_.spec(input));
    }
    if (node.op->type().random) return call_all(*node.op->drawn_again(SpecRefs(specs)), operands);
    return call_all(*node.op, operands);
  }

  /// A variable whose elements somebody else holds gets its own before it is written.
  void bind_variables_to_write() {
    for (const auto& [variable, value] : compiled_.graph_.updates) {
      if (!compiled_.layout_.last[value.node]) continue;
      Tensor& storage = variable.storage();
      if (!storage.unique() || !storage.device().is_cpu()) {
        Tensor copy = Tensor::uninitialized(storage.spec());
        const Tensor here = moved(storage, kCPU);
        backend_of(kCPU).copy(copy.mutable_data(), here.data(), static_cast<size_t>(copy.bytes()));
        storage = copy;
      }
      slot(compiled_.layout_.place(value).slot) = storage.mutable_data();
    }
  }

  /// A value that has a slot of its own.
  Tensor tensor_of(const Value& value) {
    const Value root = root_of(compiled_.graph_, value);
    const int i = compiled_.layout_.place(root).slot;
    const Shape& shape = compiled_.graph_.spec(value).shape;
    return held(i).shape() == shape ? held(i) : held(i).reshaped(shape);
  }

  Compiled& compiled_;
  std::unique_lock<std::mutex> lock_;
  Room* room_;
  Room own_;
  InlineVector<int, 4> borrowed_;
};

Tensors Compiled::run(TensorRefs inputs) {
  if (on_device_ != nullptr) return on_device_->run(inputs);
  return by_node_ ? graph::run(graph_, inputs) : Run(*this)(inputs);
}

Tensors Compiled::run_times(TensorRefs inputs, int64_t times, std::vector<Tensor>* firsts) {
  if (on_device_ != nullptr) return on_device_->run(inputs, times, firsts);
  for (; times > 1; --times) run(inputs);
  return run(inputs);
}

}  // namespace alula::graph
