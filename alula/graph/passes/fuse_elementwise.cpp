#include <algorithm>

#include "alula/graph/edit.h"
#include "alula/graph/passes.h"
#include "alula/ops/cast.h"
#include "alula/ops/elementwise.h"
#include "alula/scalar/compose.h"

namespace alula::graph {
namespace {

// What one program may be made of: beyond this its values no longer fit into registers, and nothing
// is gained.
constexpr size_t kMostInstructions = 256;
constexpr size_t kMostInputs = 12;
constexpr size_t kMostResults = 8;
/// Variables of this many elements are rather written in place than together with others.
constexpr int64_t kLarge = 1024;

/// Groups of elementwise nodes of one shape, to become one node each.
class Clusters {
 public:
  explicit Clusters(const Graph& graph) : graph_(graph), readers_(graph) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      cluster_of_.push_back(i);
      members_.push_back({i});
    }
    is_update_.assign(graph.nodes.size(), false);
    for (const auto& [variable, value] : graph.updates)
      is_update_[value.node] = variable.size() >= kLarge;
  }

  void form() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!is_fusible(i)) continue;
      for (const Value& input : graph_.nodes[i].inputs) join(cluster_of_[input.node], i);
    }
  }

  /// Lists of more than one node, each in the graph's order.
  std::vector<std::vector<size_t>> all() const {
    std::vector<std::vector<size_t>> result;
    for (std::vector<size_t> members : members_) {
      std::sort(members.begin(), members.end());
      if (members.size() > 1) result.push_back(std::move(members));
    }
    return result;
  }

 private:
  bool is_fusible(size_t i) const {
    const auto* op = op_as<ElementwiseOp>(graph_.nodes[i]);
    return op != nullptr && !op->program().can_fail() &&
           graph_.nodes[i].outputs[0].shape.is_known();
  }

  void join(size_t cluster, size_t i) {
    const size_t own = cluster_of_[i];
    if (cluster == own || !is_fusible(members_[cluster][0])) return;
    if (graph_.nodes[members_[cluster][0]].outputs[0].shape != graph_.nodes[i].outputs[0].shape)
      return;
    std::vector<size_t> together = members_[cluster];
    together.insert(together.end(), members_[own].begin(), members_[own].end());
    if (!is_small_enough(together) || !keeps_updates_apart(cluster, together)) return;
    if (leads_to(cluster, own) || leads_to(own, cluster)) return;
    for (size_t member : members_[own]) cluster_of_[member] = cluster;
    members_[cluster] = std::move(together);
    members_[own].clear();
  }

  static bool contains(const std::vector<size_t>& nodes, size_t i) {
    return std::find(nodes.begin(), nodes.end(), i) != nodes.end();
  }

  bool is_read_outside(const Value& value, const std::vector<size_t>& nodes) const {
    const auto readers = readers_.of(value);
    return readers_.leaves(value) || std::any_of(readers.begin(), readers.end(),
                                                 [&](size_t i) { return !contains(nodes, i); });
  }

  bool is_small_enough(const std::vector<size_t>& nodes) const {
    size_t instructions = 0, results = 0;
    std::vector<Value> inputs;
    for (size_t i : nodes) {
      const Node& node = graph_.nodes[i];
      instructions += op_as<ElementwiseOp>(node)->program().code().size();
      for (const Value& input : node.inputs)
        if (!contains(nodes, input.node) &&
            std::find(inputs.begin(), inputs.end(), input) == inputs.end())
          inputs.push_back(input);
      for (size_t k = 0; k < node.outputs.size(); ++k)
        results += is_read_outside({i, static_cast<int>(k)}, nodes) ? 1 : 0;
    }
    return instructions <= kMostInstructions && inputs.size() <= kMostInputs &&
           results <= kMostResults;
  }

  /// A node that makes a large variable's new value may only take in what nobody else reads.
  bool keeps_updates_apart(size_t cluster, const std::vector<size_t>& together) const {
    if (std::none_of(together.begin(), together.end(), [&](size_t i) { return is_update_[i]; }))
      return true;
    return std::none_of(members_[cluster].begin(), members_[cluster].end(), [&](size_t i) {
      for (size_t k = 0; k < graph_.nodes[i].outputs.size(); ++k)
        if (is_read_outside({i, static_cast<int>(k)}, together)) return true;
      return false;
    });
  }

  /// Whether `to` needs something outside of both that needs `from`: then they can't be one.
  bool leads_to(size_t from, size_t to) const {
    std::vector<bool> seen(graph_.nodes.size(), false);
    std::vector<size_t> open;
    const auto visit_inputs = [&](size_t cluster) {
      for (size_t i : members_[cluster])
        for (const Value& input : graph_.nodes[i].inputs) {
          const size_t next = cluster_of_[input.node];
          if (seen[next] || next == to) continue;
          seen[next] = true;
          open.push_back(next);
        }
    };
    visit_inputs(to);
    std::erase(open, from);  // what it reads directly is within
    while (!open.empty()) {
      const size_t next = open.back();
      open.pop_back();
      seen[from] = false;
      visit_inputs(next);
      if (seen[from]) return true;
    }
    return false;
  }

  const Graph& graph_;
  Readers readers_;
  std::vector<size_t> cluster_of_;
  std::vector<std::vector<size_t>> members_;
  std::vector<bool> is_update_;
};

/// Makes one program of the nodes of a cluster.
class Fuser {
 public:
  Fuser(Graph& graph, const Readers& readers, const std::vector<size_t>& nodes)
      : graph_(graph), readers_(readers), nodes_(nodes) {}

  void operator()() {
    std::vector<scalar::Scalar> results;
    std::vector<Value> replaced;
    std::unique_ptr<scalar::Program> program;
    {
      scalar::Builder builder;
      for (size_t i : nodes_) record(builder, i);
      for (size_t i : nodes_)
        for (size_t k = 0; k < graph_.nodes[i].outputs.size(); ++k) {
          const Value value{i, static_cast<int>(k)};
          if (!is_read_outside(value)) continue;
          results.push_back(find(value)->second);
          replaced.push_back(value);
        }
      if (results.empty()) return;  // nobody needs any of it
      program = builder.finish(name(), results);
    }
    const Value fused =
        add_node(graph_, ElementwiseOp(scalar::interned(std::move(program))), inputs_);
    for (size_t k = 0; k < replaced.size(); ++k)
      replace(graph_, replaced[k], {fused.node, static_cast<int>(k)});
  }

 private:
  using Known = std::pair<Value, scalar::Scalar>;

  void record(scalar::Builder& builder, size_t i) {
    const Node& node = graph_.nodes[i];
    const auto& op = *op_as<ElementwiseOp>(node);
    std::vector<scalar::Scalar> operands;
    for (const Value& input : node.inputs) {
      if (const Known* known = find(input)) {
        operands.push_back(known->second);
        continue;
      }
      if (is_number(input, node)) {
        operands.push_back(number(builder, graph_.nodes[input.node].constant));
      } else {
        operands.push_back(builder.input(graph_.spec(input).dtype));
        inputs_.push_back(input);
      }
      known_.emplace_back(input, operands.back());
    }
    const auto values = scalar::inlined(builder, op.program(), operands, op.parameters);
    for (size_t k = 0; k < values.size(); ++k)
      known_.emplace_back(Value{i, static_cast<int>(k)}, values[k]);
  }

  /// Whether an input is a constant scalar beside one that is not: then it becomes part of the
  /// program, and the shape still comes from the others.
  bool is_number(const Value& input, const Node& node) const {
    const auto varies = [&](const Value& other) {
      return graph_.nodes[other.node].kind != Node::Kind::kConstant;
    };
    const DType dtype = graph_.spec(input).dtype;
    return !varies(input) && graph_.spec(input).shape.rank() == 0 &&
           (is_floating(dtype) || dtype == int32) &&
           std::any_of(node.inputs.begin(), node.inputs.end(), varies);
  }
  static scalar::Scalar number(scalar::Builder& builder, const Tensor& constant) {
    return builder.constant(constant.dtype(), cast(constant, float64).item<double>());
  }

  const Known* find(const Value& value) const {
    const auto found = std::find_if(known_.begin(), known_.end(),
                                    [&](const Known& known) { return known.first == value; });
    return found == known_.end() ? nullptr : &*found;
  }

  bool is_read_outside(const Value& value) const {
    const auto readers = readers_.of(value);
    return readers_.leaves(value) || std::any_of(readers.begin(), readers.end(), [&](size_t i) {
             return std::find(nodes_.begin(), nodes_.end(), i) == nodes_.end();
           });
  }

  /// "add+relu": the first few, and how many more.
  std::string name() const {
    constexpr size_t kShown = 3;
    std::vector<std::string> names;
    for (size_t k = 0; k < std::min(nodes_.size(), kShown); ++k)
      names.emplace_back(graph_.nodes[nodes_[k]].op->name());
    if (nodes_.size() > kShown) names.push_back(fmt::format("{}", nodes_.size() - kShown));
    return fmt::format("{}", fmt::join(names, "+"));
  }

  Graph& graph_;
  const Readers& readers_;
  const std::vector<size_t>& nodes_;
  std::vector<Value> inputs_;
  std::vector<Known> known_;  // the values that have been recorded
};

}  // namespace

/// Makes one op of elementwise ops that feed each other and have the same shape, so that what lies
/// between them is never written to memory.
void fuse_elementwise(Graph& graph) {
  Clusters clusters(graph);
  clusters.form();
  const Readers readers(graph);
  for (const std::vector<size_t>& nodes : clusters.all()) Fuser(graph, readers, nodes)();
}

}  // namespace alula::graph
