#include "alula/graph/layout.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "alula/graph/plan.h"
#include "alula/ops/elementwise.h"
#include "alula/ops/multi_elementwise.h"

namespace alula::graph {
namespace {

/// Whether output `output` of an op may lie where its input `input` does, and the op cannot fail
/// half-way: each element is read before it is written, and by nobody after.
bool may_write_over(const Graph& graph, const Node& node, size_t input, size_t output) {
  if (graph.spec(node.inputs[input]) != node.outputs[output]) return false;
  if (const auto* one = dynamic_cast<const ElementwiseOp*>(node.op.get()))
    return !one->program().can_fail();
  const auto* multi = dynamic_cast<const MultiElementwise*>(node.op.get());
  if (multi == nullptr || multi->program->can_fail()) return false;
  const auto shared = static_cast<size_t>(multi->shared);
  return input >= shared &&
         (input - shared) / multi->group_inputs() == output / multi->program->results().size();
}

/// Decides where values are, step by step.
class Planner {
 public:
  Planner(const Graph& graph, const PassOptions& options, Layout& layout)
      : graph_(graph), options_(options), layout_(layout) {
    for (const Node& node : graph.nodes) layout.places.emplace_back(node.outputs.size());
    find_lasts();
    choose_what_runs_last();
    give_slots();
    fill_arena();
  }

 private:
  void find_lasts() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      lasts_.emplace_back(graph_.nodes[i].outputs.size(), i);
      for (const Value& input : graph_.nodes[i].inputs) last_of(root_of(graph_, input)) = i;
    }
  }
  size_t& last_of(const Value& value) {
    return lasts_[value.node][static_cast<size_t>(value.index)];
  }

  /// A node may write over variables if it makes nothing but their new values, nobody reads the old
  /// ones later, and nobody in the graph reads what it makes.
  void choose_what_runs_last() {
    layout_.last.assign(graph_.nodes.size(), false);
    std::vector<bool> read(graph_.nodes.size(), false);
    for (const Node& node : graph_.nodes)
      for (const Value& input : node.inputs) read[root_of(graph_, input).node] = true;
    for (const Value& output : graph_.outputs) read[root_of(graph_, output).node] = true;
    std::map<size_t, std::vector<std::pair<Value, Variable>>> made;  // by node
    for (const auto& [variable, value] : graph_.updates)
      made[value.node].emplace_back(value, variable);
    for (const auto& [i, updates] : made) {
      const Node& node = graph_.nodes[i];
      if (node.kind != Node::Kind::kOp || is_made(node) || read[i] ||
          updates.size() != node.outputs.size())
        continue;
      layout_.last[i] = std::all_of(updates.begin(), updates.end(), [&](const auto& update) {
        return may_take_place_of(i, update.first, update.second);
      });
    }
  }

  bool may_take_place_of(size_t i, const Value& made, const Variable& variable) {
    const Value old{node_of(graph_, variable), 0};
    return variable.dtype() != string && last_of(old) == i &&
           graph_.spec(made) == variable.spec() && reads_first(i, old, made);
  }

  /// Whether node i reads each element of `old`, if it does, before it writes that of `made`.
  bool reads_first(size_t i, const Value& old, const Value& made) const {
    const Node& node = graph_.nodes[i];
    for (size_t k = 0; k < node.inputs.size(); ++k)
      if (root_of(graph_, node.inputs[k]) == old &&
          !may_write_over(graph_, node, k, static_cast<size_t>(made.index)))
        return false;
    return true;
  }

  void give_slots() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      if (node.kind == Node::Kind::kOp && !is_made(node)) continue;
      for (Layout::Place& place : layout_.places[i]) place.slot = layout_.slots++;
    }
    for (const auto& [variable, value] : graph_.updates)
      if (layout_.last[value.node])
        layout_.place(value) = layout_.places[node_of(graph_, variable)][0];
    layout_.first_result = layout_.slots;
    const auto give_slot = [&](const Value& value) {
      const Value root = root_of(graph_, value);
      if (layout_.place(root).slot >= 0) return;
      layout_.place(root).slot = layout_.slots++;
      layout_.results.push_back(root);
    };
    for (const Value& output : graph_.outputs) give_slot(output);
    for (const auto& [variable, value] : graph_.updates) give_slot(value);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      // Host code gets tensors; and strings are more than the bytes of an arena.
      if (is_made(graph_.nodes[i]))
        for (const Value& input : graph_.nodes[i].inputs) give_slot(input);
      for (size_t k = 0; k < graph_.nodes[i].outputs.size(); ++k)
        if (graph_.nodes[i].outputs[k].dtype == string) give_slot({i, static_cast<int>(k)});
    }
  }

  void fill_arena() {
    // Time goes by in steps: the nodes in their order, then those that run last.
    std::vector<size_t> steps(graph_.nodes.size());
    std::iota(steps.begin(), steps.end(), size_t{0});
    for (size_t i = 0; i < steps.size(); ++i)
      if (layout_.last[i]) steps[i] += graph_.nodes.size();
    std::vector<Block> blocks;
    std::map<std::pair<size_t, int>, size_t> block_of;
    const bool in_place = options_.has("in_place");
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      if (is_view(node) || node.kind != Node::Kind::kOp) continue;  // slots of their own
      // What it reads is needed until then.
      std::vector<size_t> ending;  // blocks that end here
      for (const Value& input : node.inputs) {
        const Value root = root_of(graph_, input);
        const auto found = block_of.find({root.node, root.index});
        if (found == block_of.end()) continue;
        Block& block = blocks[found->second];
        block.last = std::max(block.last, steps[i]);
        if (last_of(root) == i && !layout_.last[i]) ending.push_back(found->second);
      }
      for (size_t k = 0; k < node.outputs.size(); ++k) {
        const Value value{i, static_cast<int>(k)};
        if (layout_.place(value).slot >= 0) continue;
        size_t block = blocks.size();
        if (in_place) block = taken_over(i, value, ending, block_of).value_or(block);
        if (block == blocks.size())
          blocks.push_back({static_cast<size_t>(graph_.spec(value).bytes()), i, i});
        std::erase(ending, block);
        block_of[{i, value.index}] = block;
      }
    }
    place(blocks, block_of);
  }

  /// The block of an input that ends with node i and can hold its output.
  std::optional<size_t> taken_over(size_t i, const Value& made, const std::vector<size_t>& ending,
                                   const std::map<std::pair<size_t, int>, size_t>& block_of) const {
    for (const Value& input : graph_.nodes[i].inputs) {
      const Value root = root_of(graph_, input);
      const auto found = block_of.find({root.node, root.index});
      if (found == block_of.end()) continue;
      if (std::find(ending.begin(), ending.end(), found->second) == ending.end()) continue;
      if (graph_.spec(input) == graph_.spec(made) && reads_first(i, root, made))
        return found->second;
    }
    return {};
  }

  void place(const std::vector<Block>& blocks,
             const std::map<std::pair<size_t, int>, size_t>& block_of) {
    std::vector<Block> planned = blocks;
    if (!options_.has("plan_memory"))  // all at the same time: nothing is used twice
      for (Block& block : planned) block = {block.bytes, 0, 2 * graph_.nodes.size()};
    const Plan plan = plan_memory(planned);
    for (const auto& [value, block] : block_of)
      layout_.place({value.first, value.second}) = {0, plan.offsets[block]};
    layout_.arena_bytes = plan.bytes;
    layout_.least_bytes = least_memory(blocks);
    for (size_t i = 0; i < graph_.nodes.size(); ++i)
      if (is_view(graph_.nodes[i])) layout_.places[i][0] = layout_.place(root_of(graph_, {i, 0}));
  }

  const Graph& graph_;
  const PassOptions& options_;
  Layout& layout_;
  std::vector<std::vector<size_t>> lasts_;  // the last node that reads a value, by value
};

}  // namespace

Layout::Layout(const Graph& graph, const PassOptions& options) { Planner(graph, options, *this); }

bool is_view(const Node& node) { return node.kind == Node::Kind::kOp && node.op->type().view; }
bool is_made(const Node& node) {
  if (node.kind == Node::Kind::kHost) return true;
  if (node.kind != Node::Kind::kOp || node.by_host == Node::Host::kDraws) return false;
  return node.op->type().random || node.op->type().host || node.by_host == Node::Host::kComputes;
}

Value root_of(const Graph& graph, Value value) {
  while (is_view(graph.nodes[value.node])) value = graph.nodes[value.node].inputs[0];
  return value;
}

size_t node_of(const Graph& graph, const Variable& variable) {
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].kind == Node::Kind::kVariable && graph.nodes[i].variable.same_as(variable))
      return i;
  fail<InternalError>("function: the variable '{}' is not in its graph.", variable.name());
}

}  // namespace alula::graph
