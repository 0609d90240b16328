#include "alula/graph/on_device.h"

#include <algorithm>
#include <cstring>

#include "alula/graph/place.h"
#include "alula/graph/run.h"
#include "alula/graph/stages.h"
#include "alula/graph/unheard.h"
#include "alula/ops/elementwise.h"
#include "alula/ops/random.h"
#include "alula/runtime/autocast.h"
#include "alula/runtime/devices.h"
#include "alula/scalar/program.h"

namespace alula::graph {
namespace {

constexpr size_t kAlignment = 256;
/// The most runs in one list. More would save nothing: a launch costs as much as a few kernels.
constexpr int64_t kMostRuns = 32;

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// What a kernel that draws random numbers is told: the stream's key and counter.
const Spec& stream_spec() {
  static const Spec spec{uint64, {3}};
  return spec;
}

/// Copies one tensor to another, as an op.
std::shared_ptr<const Op> copying_op(DType dtype) {
  static std::mutex mutex;
  static std::map<DType, std::unique_ptr<scalar::Program>> programs;
  const std::lock_guard lock(mutex);
  auto& program = programs[dtype];
  if (program == nullptr) {
    scalar::Builder builder;
    const Scalar x = builder.input(dtype);
    program = builder.finish("copy", {&x, 1});
  }
  return std::make_shared<ElementwiseOp>(*program);
}

Graph placed_on(Graph graph, Device device) {
  place_on(graph, device);
  return graph;
}

}  // namespace

/// What the host has made in the current run, by node; variables that stay with it, too.
class OnDevice::HostValues {
 public:
  explicit HostValues(const Graph& graph) : graph_(graph), values_(graph.nodes.size()) {
    // Constants may have been made on the device: to fetch one at each run would be to wait there.
    for (const Node& node : graph.nodes)
      if (is_made(node))
        for (const Value& input : node.inputs) {
          const Node& from = graph.nodes[root_of(graph, input).node];
          if (from.kind == Node::Kind::kConstant)
            values_[root_of(graph, input).node] = {moved(from.constant, kCPU)};
        }
  }

  void set(size_t node, Tensors values) { values_[node] = std::move(values); }
  bool has(const Value& value) const {
    const Node& node = graph_.nodes[value.node];
    return is_made(node) || node.kind == Node::Kind::kConstant || is_host_variable(node);
  }
  Tensor get(const Value& value) const {
    const Node& node = graph_.nodes[value.node];
    if (is_host_variable(node)) return node.variable.storage();
    if (node.kind == Node::Kind::kConstant && values_[value.node].empty())
      return moved(node.constant, kCPU);
    return values_[value.node][static_cast<size_t>(value.index)];
  }

 private:
  static bool is_host_variable(const Node& node) {
    return node.kind == Node::Kind::kVariable && node.by_host == Node::Host::kComputes;
  }

  const Graph& graph_;
  std::vector<Tensors> values_;
};

OnDevice::OnDevice(const Graph& graph, const PassOptions& options, Device device)
    : graph_(placed_on(graph, device)),
      device_(device),
      backend_(backend_of(device)),
      stage_of_(put_in_stages(graph_)),
      layout_(graph_, options),
      host_variables_(host_variables(graph_)),
      values_(std::make_unique<HostValues>(graph_)) {
  place_feed();
  sort_nodes();
  slots_.assign(static_cast<size_t>(layout_.slots), nullptr);
  held_.resize(slots_.size());
  moves_.assign(inputs_.size(), false);
  for (size_t i = 0; i < graph_.nodes.size(); ++i)
    if (graph_.nodes[i].kind == Node::Kind::kConstant)
      hold(layout_.places[i][0].slot, moved(graph_.nodes[i].constant, device_));
  slots_[0] = backend_.allocate(layout_.arena_bytes);
  feed_room_ = feed_bytes_ * static_cast<size_t>(is_whole() ? kMostRuns : 1);
  slots_[static_cast<size_t>(feed_slot_)] = backend_.allocate(feed_room_);
}

OnDevice::~OnDevice() {
  lists_.clear();
  stages_.clear();
  if (slots_.empty()) return;
  backend_.release(slots_[0], layout_.arena_bytes);
  backend_.release(slots_[static_cast<size_t>(feed_slot_)], feed_room_);
}

/// What the host makes for kernels lies in the feed, one value after another.
void OnDevice::place_feed() {
  feed_slot_ = layout_.slots++;
  feed_offsets_.assign(graph_.nodes.size(), 0);
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    feed_offsets_[i] = feed_bytes_;
    if (node.by_host == Node::Host::kDraws) feed_bytes_ += aligned(stream_spec().bytes());
    if (!is_made(node)) continue;
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      if (node.outputs[k].dtype == string) continue;
      layout_.places[i][k] = {feed_slot_, feed_bytes_};
      feed_bytes_ += aligned(static_cast<size_t>(node.outputs[k].bytes()));
    }
  }
  for (size_t i = 0; i < graph_.nodes.size(); ++i)
    if (is_view(graph_.nodes[i])) layout_.places[i][0] = layout_.place(root_of(graph_, {i, 0}));
}

void OnDevice::sort_nodes() {
  stages_.resize(stage_of_.empty() ? 1 : static_cast<size_t>(std::ranges::max(stage_of_)) + 1);
  std::vector<size_t> last;
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    Stage& stage = stages_[static_cast<size_t>(stage_of_[i])];
    if (node.kind == Node::Kind::kInput) inputs_.push_back(i);
    if (node.kind == Node::Kind::kVariable && node.by_host == Node::Host::kNo)
      variables_.push_back(i);
    if (is_made(node) || node.by_host == Node::Host::kDraws) stage.made.push_back(i);
    if (node.kind != Node::Kind::kOp || is_view(node) || is_made(node)) continue;
    if (layout_.last[i])
      last.push_back(i);
    else
      stage.steps.push_back(step_of(i));
  }
  std::vector<Step>& end = stages_.back().steps;
  for (size_t i : last) end.push_back(step_of(i));
  // Variables keep their addresses: what was not computed in place is copied there.
  for (const auto& [variable, value] : graph_.updates) {
    const size_t old = node_of(graph_, variable);
    if (graph_.nodes[old].by_host == Node::Host::kComputes)
      host_updates_.emplace_back(variable, value);
    if (layout_.last[value.node] || graph_.nodes[old].by_host == Node::Host::kComputes) continue;
    end.push_back({.op = copying_op(variable.dtype()),
                   .inputs = {operand_of(value)},
                   .outputs = {operand_of({old, 0})}});
  }
}

Operand OnDevice::operand_of(const Value& value) const {
  const Layout::Place& place = layout_.place(value);
  return {graph_.spec(value), place.slot, place.offset};
}

Step OnDevice::step_of(size_t i) const {
  const Node& node = graph_.nodes[i];
  Step step{.op = node.op, .inputs = {}, .outputs = {}};
  for (const Value& input : node.inputs) step.inputs.push_back(operand_of(input));
  if (node.by_host == Node::Host::kDraws)
    step.inputs.push_back({stream_spec(), feed_slot_, feed_offsets_[i]});
  for (size_t k = 0; k < node.outputs.size(); ++k)
    step.outputs.push_back(operand_of({i, static_cast<int>(k)}));
  return step;
}

/// The same steps again and again, each time with the next feed.
std::vector<Step> OnDevice::repeated(const std::vector<Step>& steps, int64_t times) const {
  std::vector<Step> all;
  for (int64_t k = 0; k < times; ++k)
    for (Step step : steps) {
      for (Operand& input : step.inputs)
        if (input.slot == feed_slot_) input.offset += static_cast<size_t>(k) * feed_bytes_;
      all.push_back(std::move(step));
    }
  return all;
}

void OnDevice::hold(int slot, Tensor tensor) {
  slots_[static_cast<size_t>(slot)] = address(tensor);
  held(slot) = std::move(tensor);
}

/// An input that stays at one address is read there. One that does not is copied to a place of its
/// own, and so is what comes from elsewhere.
void OnDevice::bind_inputs(TensorRefs inputs) {
  for (size_t k = 0; k < inputs_.size(); ++k) {
    const int slot = layout_.places[inputs_[k]][0].slot;
    void*& at = slots_[static_cast<size_t>(slot)];
    const Tensor& input = inputs[k];
    if (input.dtype() == string) {
      held(slot) = input;
      continue;
    }
    const bool here = input.device() == device_;
    if (here && !moves_[k] && (at == nullptr || at == address(input))) {
      hold(slot, input);
      continue;
    }
    if (!moves_[k]) {
      moves_[k] = true;
      hold(slot, Tensor::uninitialized(input.spec(), backend_));
    } else if (!held(slot).unique()) {  // it was given out
      hold(slot, Tensor::uninitialized(input.spec(), backend_));
    }
    const auto bytes = static_cast<size_t>(input.bytes());
    if (here)
      backend_.copy(at, input.data(), bytes);
    else
      backend_.copy_from_host(at, moved(input, kCPU).data(), bytes);
  }
}

/// Variables move to the device, and stay there. One whose elements somebody else holds gets its
/// own before it is written.
void OnDevice::bind_variables() {
  for (const Variable& variable : host_variables_)
    if (!variable.device().is_cpu()) variable.storage() = moved(variable.storage(), kCPU);
  for (size_t i : variables_) {
    Tensor& storage = graph_.nodes[i].variable.storage();
    const int slot = layout_.places[i][0].slot;
    held(slot) = {};
    if (storage.device() != device_) {
      storage = moved(storage, device_);
    } else if (!storage.unique()) {
      const bool written = std::any_of(
          graph_.updates.begin(), graph_.updates.end(),
          [&](const auto& update) { return update.first.same_as(graph_.nodes[i].variable); });
      if (written) {
        Tensor copy = Tensor::uninitialized(storage.spec(), backend_);
        backend_.copy(copy.mutable_data(), storage.data(), static_cast<size_t>(copy.bytes()));
        storage = copy;
      }
    }
    slots_[static_cast<size_t>(slot)] = address(storage);
  }
}

/// A result that nobody holds any more is written again.
void OnDevice::bind_results() {
  for (size_t k = 0; k < layout_.results.size(); ++k) {
    const Value& value = layout_.results[k];
    const int slot = layout_.first_result + static_cast<int>(k);
    const Spec& spec = graph_.spec(value);
    if (!held(slot).defined() || !held(slot).unique())
      hold(slot, Tensor::uninitialized(spec, backend_));
  }
}

/// What host code gives, and what the device cannot compute; what a kernel is to draw from.
void OnDevice::make(size_t i, HostValues& values) {
  const Node& node = graph_.nodes[i];
  if (node.kind == Node::Kind::kHost) {
    values.set(i, node.host->run({}));
    return;
  }
  const Unheard unheard;
  const DeviceScope scope(kCPU);
  std::vector<Tensor> operands;
  std::vector<const Spec*> specs;
  for (const Value& input : node.inputs) {
    const Value root = root_of(graph_, input);
    const bool here = values.has(root);
    Tensor operand = here ? values.get(root) : moved(tensor_of(root), kCPU);
    operands.push_back(operand.reshaped(graph_.spec(input).shape));
    specs.push_back(&graph_.spec(input));
  }
  if (!node.op->type().random) {
    values.set(i, call_all(*node.op, operands));
    return;
  }
  const std::unique_ptr<Op> drawn = node.op->drawn_again(SpecRefs(specs));
  if (node.by_host == Node::Host::kDraws) {
    const random::Stream& stream = dynamic_cast<const RandomOutput&>(*drawn).stream;
    const std::vector<uint64_t> words{stream.key, stream.high, stream.low};
    values.set(i, {Tensor(words)});
  } else {
    values.set(i, call_all(*drawn, operands));
  }
}

/// Makes what a stage needs of the host, and writes it where the feed is put together.
void OnDevice::feed(const Stage& stage, HostValues& values, std::byte* to) {
  for (size_t i : stage.made) {
    make(i, values);
    const Node& node = graph_.nodes[i];
    if (node.by_host == Node::Host::kDraws) {
      std::memcpy(to + feed_offsets_[i], values.get({i, 0}).data(), stream_spec().bytes());
      continue;
    }
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      if (node.outputs[k].dtype == string) continue;
      const Tensor value = moved(values.get({i, static_cast<int>(k)}), kCPU);
      require<InternalError>(value.spec() == node.outputs[k],
                             "function: host code gave {} where {} was expected.", value.spec(),
                             node.outputs[k]);
      if (value.size() > 0)
        std::memcpy(to + layout_.places[i][k].offset, value.data(),
                    static_cast<size_t>(value.bytes()));
    }
  }
}

Executable& OnDevice::list_of(Stage& stage, int64_t times) {
  if (!is_whole()) {
    if (stage.list == nullptr) stage.list = backend_.prepare(stage.steps);
    return *stage.list;
  }
  auto& list = lists_[times];
  if (list == nullptr) list = backend_.prepare(repeated(stage.steps, times));
  return *list;
}

/// Puts back what variables of the host were, unless all went well.
class RestoreVariables {
 public:
  explicit RestoreVariables(const std::vector<Variable>& variables) : variables_(variables) {
    for (const Variable& variable : variables) before_.push_back(stored_value(variable));
  }
  ~RestoreVariables() {
    for (size_t i = 0; i < before_.size(); ++i) variables_[i].storage() = before_[i];
  }
  RestoreVariables(const RestoreVariables&) = delete;
  RestoreVariables& operator=(const RestoreVariables&) = delete;
  void keep_changes() { before_.clear(); }

 private:
  const std::vector<Variable>& variables_;
  std::vector<Tensor> before_;
};

void OnDevice::update_host_variables() {
  const Unheard unheard;
  for (auto& [variable, value] : host_updates_) variable.assign(values_->get(value));
}

void OnDevice::run_whole(int64_t times) {
  std::vector<std::byte> feeds(static_cast<size_t>(times) * feed_bytes_);
  RestoreVariables restore(host_variables_);
  for (int64_t k = 0; k < times; ++k) {
    feed(stages_[0], *values_, feeds.data() + static_cast<size_t>(k) * feed_bytes_);
    update_host_variables();
  }
  if (!feeds.empty())
    backend_.copy_from_host(slots_[static_cast<size_t>(feed_slot_)], feeds.data(), feeds.size());
  list_of(stages_[0], times).run(slots_);
  restore.keep_changes();
}

void OnDevice::run_in_stages() {
  std::vector<std::byte> feed_block(feed_bytes_);
  RestoreVariables restore(host_variables_);
  for (Stage& stage : stages_) {
    feed(stage, *values_, feed_block.data());
    if (!stage.made.empty() && feed_bytes_ > 0)
      backend_.copy_from_host(slots_[static_cast<size_t>(feed_slot_)], feed_block.data(),
                              feed_bytes_);
    list_of(stage, 1).run(slots_);
  }
  update_host_variables();
  restore.keep_changes();
}

/// A value that has a tensor of its own on the device.
Tensor OnDevice::tensor_of(const Value& value) {
  const Value root = root_of(graph_, value);
  const Node& node = graph_.nodes[root.node];
  if (node.kind == Node::Kind::kVariable)
    return node.variable.storage().reshaped(graph_.spec(value).shape);
  return held(layout_.place(root).slot).reshaped(graph_.spec(value).shape);
}

Tensors OnDevice::outputs(HostValues& values) {
  Tensors outputs;
  for (const Value& output : graph_.outputs) {
    const Value root = root_of(graph_, output);
    if (!values.has(root)) {
      outputs.push_back(tensor_of(output));
      continue;
    }
    const Tensor made = values.get(root).reshaped(graph_.spec(output).shape);
    outputs.push_back(made.dtype() == string ? made : moved(made, device_));
  }
  return outputs;
}

Tensors OnDevice::run(TensorRefs inputs, int64_t times) {
  const std::lock_guard lock(mutex_);
  bind_inputs(inputs);
  bind_variables();
  bind_results();
  for (int64_t left = times; left > 0;) {
    int64_t now = 1;  // a power of two, so that there are few lists
    while (is_whole() && 2 * now <= std::min(left, kMostRuns)) now *= 2;
    if (is_whole())
      run_whole(now);
    else
      run_in_stages();
    left -= now;
  }
  return outputs(*values_);
}

}  // namespace alula::graph
