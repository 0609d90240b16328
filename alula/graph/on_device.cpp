#include "alula/graph/on_device.h"

#include <algorithm>

#include "alula/graph/on_device_values.h"
#include "alula/graph/place.h"
#include "alula/graph/stages.h"
#include "alula/ops/elementwise.h"
#include "alula/runtime/devices.h"
#include "alula/scalar/program.h"

namespace alula::graph {
namespace {

constexpr size_t kAlignment = kDeviceAlignment;
/// The most runs in one list, and what their feeds may take. More would save nothing: a launch
/// costs as much as a few kernels.
constexpr int64_t kMostRuns = 128;
constexpr size_t kMostFeedBytes = size_t{16} << 20;

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// Nodes of variables that are written while what they were is still wanted, as a result or by
/// another variable: the list begins with a copy of them.
std::vector<size_t> wanted_old_values(const Graph& graph) {
  std::vector<size_t> nodes;
  for (const auto& written : graph.updates) {
    const size_t old = node_of(graph, written.first);
    const auto is_old = [&](const Value& value) { return root_of(graph, value).node == old; };
    const auto goes_elsewhere = [&](const auto& update) {
      return is_old(update.second) && !update.first.same_as(written.first);
    };
    if (graph.nodes[old].by_host == Node::Host::kNo &&
        (std::ranges::any_of(graph.outputs, is_old) ||
         std::ranges::any_of(graph.updates, goes_elsewhere)))
      nodes.push_back(old);
  }
  return nodes;
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

/// While values are small, none takes the place of another: kernels that need nothing of one
/// another can then run at the same time.
Layout layout_on_device(const Graph& graph, const PassOptions& options) {
  constexpr size_t kSmall = 16 << 20;
  PassOptions apart = options;
  apart.without.insert(apart.without.end(), {"plan_memory", "in_place"});
  Layout layout(graph, apart);
  return layout.arena_bytes <= kSmall ? layout : Layout(graph, options);
}

}  // namespace

OnDevice::OnDevice(const Graph& graph, const PassOptions& options, Device device)
    : graph_(placed_on(graph, device)),
      device_(device),
      backend_(backend_of(device)),
      stage_of_(put_in_stages(graph_)),
      layout_(layout_on_device(graph_, options)),
      host_variables_(host_variables(graph_)),
      values_(std::make_unique<HostValues>(graph_)) {
  place_feed();
  sort_nodes();
  find_first_output();
  slots_.assign(static_cast<size_t>(layout_.slots), nullptr);
  held_.resize(slots_.size());
  moves_.assign(inputs_.size(), false);
  stayed_.assign(inputs_.size(), 0);
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    if (node.kind == Node::Kind::kConstant && !stays_on_host(node.constant))
      hold(layout_.places[i][0].slot, moved(node.constant, device_));
  }
  slots_[0] = backend_.allocate(layout_.arena_bytes);
  if (is_whole())
    while (most_runs_ < kMostRuns && 2 * most_runs_ * feed_bytes_ <= kMostFeedBytes)
      most_runs_ *= 2;
  feed_room_ = feed_bytes_ * static_cast<size_t>(most_runs_);
  slots_[static_cast<size_t>(feed_slot_)] = backend_.allocate(feed_room_);
  slots_[static_cast<size_t>(history_slot_)] = backend_.allocate(history_bytes());
}

OnDevice::~OnDevice() {
  lists_.clear();
  stages_.clear();
  if (slots_.empty()) return;
  backend_.release(slots_[0], layout_.arena_bytes);
  backend_.release(slots_[static_cast<size_t>(feed_slot_)], feed_room_);
  backend_.release(slots_[static_cast<size_t>(history_slot_)], history_bytes());
}

/// Room for the first output of each run in a row but the last.
size_t OnDevice::history_bytes() const {
  return first_slot_ < 0 ? 0 : static_cast<size_t>(most_runs_) * kAlignment;
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
  for (size_t old : wanted_old_values(graph_)) {
    const Spec& spec = graph_.spec({old, 0});
    values_->old_slots[old] = layout_.slots++;
    stages_[0].steps.push_back({.op = copying_op(spec.dtype),
                                .inputs = {operand_of({old, 0})},
                                .outputs = {{spec, values_->old_slots[old]}}});
  }
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
    Operand from = operand_of(value);
    if (const int kept = values_->old_slot(root_of(graph_, value)); kept >= 0)
      from = {graph_.spec(value), kept};
    end.push_back({.op = copying_op(variable.dtype()),
                   .inputs = {std::move(from)},
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

/// The same steps again and again, each time with the next feed. All but the last write their first
/// output into the history.
std::vector<Step> OnDevice::repeated(const std::vector<Step>& steps, int64_t times) const {
  std::vector<Step> all;
  for (int64_t k = 0; k < times; ++k)
    for (Step step : steps) {
      for (std::vector<Operand>* operands : {&step.inputs, &step.outputs})
        for (Operand& operand : *operands) {
          if (operand.slot == feed_slot_) operand.offset += static_cast<size_t>(k) * feed_bytes_;
          if (operand.slot == first_slot_ && k + 1 < times)
            operand = {operand.spec, history_slot_, static_cast<size_t>(k) * kAlignment};
        }
      all.push_back(std::move(step));
    }
  return all;
}

void OnDevice::find_first_output() {
  history_slot_ = layout_.slots++;
  if (!is_whole() || graph_.outputs.empty()) return;
  const Value root = root_of(graph_, graph_.outputs[0]);
  const Spec& spec = graph_.spec(root);
  if (spec.rank() != 0 || spec.dtype == string || graph_.nodes[root.node].kind != Node::Kind::kOp)
    return;
  const auto found = std::ranges::find(layout_.results, root);
  if (found != layout_.results.end())
    first_slot_ = layout_.first_result + static_cast<int>(found - layout_.results.begin());
}

void OnDevice::hold(int slot, Tensor tensor) {
  slots_[static_cast<size_t>(slot)] = address(tensor);
  held(slot) = std::move(tensor);
}

}  // namespace alula::graph
