#include "alula/graph/trace.h"

#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace alula::graph {
namespace {

/// The variables that a function being traced has met, with what they are by now.
class Variables final : public VariableTracer {
 public:
  Variables() : outer_(t_state.tracer), nested_(t_state.tracing()) {
    t_state.tracer = this;
    t_state.flags |= ThreadState::kTracing;
  }
  ~Variables() override {
    t_state.tracer = outer_;
    if (!nested_) t_state.flags &= ~ThreadState::kTracing;
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

  struct Met {
    Variable variable;
    Tensor before;  // a symbolic tensor for its value at the start of a run
    Tensor now;
  };

  Tensor read(const Variable& variable) override { return met(variable).now; }
  void assign(const Variable& variable, const Tensor& value) override { met(variable).now = value; }
  const std::vector<Met>& all() const { return all_; }

 private:
  Met& met(const Variable& variable) {
    const auto [place, fresh] = places_.emplace(variable.key(), all_.size());
    if (fresh) {
      const Tensor symbol = Tensor::symbolic(variable.spec(), Ref<Note>(new Symbol));
      all_.push_back({variable, symbol, symbol});
    }
    return all_[place->second];
  }

  VariableTracer* outer_;
  bool nested_;
  std::vector<Met> all_;
  std::unordered_map<const void*, size_t> places_;
};

/// The calls that are noted while it listens.
class Calls final : public Listener {
 public:
  Calls() : before_(Tensor(0).id()) {}
  void ran(const Op&, Device, TensorRefs, std::span<const Tensor> outputs) override {
    if (!outputs.empty() && outputs[0].is_symbolic())
      all_.insert(outputs[0].note<Symbol>()->call.get());
  }
  /// Whether it heard of the call that makes a symbolic tensor. Nobody is told of calls of host
  /// code; but what they give has its number from when it is made.
  bool contains(const Tensor& tensor) const {
    const Call* call = tensor.note<Symbol>()->call.get();
    if (dynamic_cast<const HostCall*>(call) != nullptr) return tensor.id() > before_;
    return all_.contains(call);
  }

 private:
  uint64_t before_;  // a number smaller than that of any tensor made since
  std::unordered_set<const Call*> all_;
};

/// The calls of a function being traced that a run must make in the order of an eager one: random
/// numbers, to draw the same ones, and effects. Those of a function inside are its own.
class InOrder final : public Listener {
 public:
  explicit InOrder(const VariableTracer& tracer) : tracer_(tracer) {}
  void ran(const Op& op, Device, TensorRefs, std::span<const Tensor> outputs) override {
    if ((op.type().random || op.type().effects) && outputs[0].is_symbolic() &&
        t_state.tracer == &tracer_)
      all_.push_back(outputs[0]);
  }
  const std::vector<Tensor>& all() const { return all_; }

 private:
  const VariableTracer& tracer_;
  std::vector<Tensor> all_;
};

/// Makes nodes of what symbolic tensors say of how they came about.
class Collector {
 public:
  /// `inside`: the calls of the function, if it was traced inside another one. What else it reads
  /// is the other's, and for this one a constant.
  explicit Collector(const Calls* inside) : inside_(inside) {}

  /// A tensor that is there at the start of a run.
  void add(const Tensor& symbol, Node node) {
    node.outputs = {symbol.spec()};
    leaves_.emplace(symbol.id(), graph_.nodes.size());
    graph_.nodes.push_back(std::move(node));
  }

  Value value_of(const Tensor& tensor) {
    require(tensor.defined(), "function: a result is not defined.");
    // A stack of its own: a chain of ops may be long.
    std::vector<Tensor> open{tensor};
    while (!open.empty()) {
      const Tensor next = open.back();
      const size_t before = open.size();
      if (!is_known(next))
        for (const Tensor& input : call_of(next)->inputs())
          if (!is_known(input)) open.push_back(input);
      if (open.size() > before) continue;
      open.pop_back();
      if (!is_known(next)) add_call(call_of(next), next);
    }
    return known_value(tensor);
  }

  Graph& graph() { return graph_; }

 private:
  const std::shared_ptr<const Call>& call_of(const Tensor& tensor) const {
    const Symbol& symbol = *tensor.note<Symbol>();
    require(symbol.call != nullptr,
            "function: a symbolic tensor of another function or model is used: {}.", tensor);
    return symbol.call;
  }

  /// Whether a tensor is there at the start of a run, or the call that makes it has its node.
  bool is_known(const Tensor& tensor) const {
    return !tensor.is_symbolic() || leaves_.contains(tensor.id()) || is_outer(tensor) ||
           calls_.contains(call_of(tensor).get());
  }

  bool is_outer(const Tensor& tensor) const {
    return inside_ != nullptr && !inside_->contains(tensor);
  }

  Value known_value(const Tensor& tensor) {
    if (const auto leaf = leaves_.find(tensor.id()); leaf != leaves_.end())
      return {leaf->second, 0};
    if (!tensor.is_symbolic() || is_outer(tensor)) {
      add(tensor, {.kind = Node::Kind::kConstant, .constant = tensor});
      return {graph_.nodes.size() - 1, 0};
    }
    const size_t place = calls_.at(call_of(tensor).get());
    note_output(place, tensor);
    return {place, tensor.note<Symbol>()->index};
  }

  void add_call(const std::shared_ptr<const Call>& call, const Tensor& tensor) {
    Node node;
    for (const Tensor& input : call->inputs()) node.inputs.push_back(known_value(input));
    if (const auto* op = dynamic_cast<const OpCall*>(call.get())) {
      node.op = op->op();
      std::vector<const Spec*> specs;
      for (const Value& input : node.inputs) specs.push_back(&graph_.spec(input));
      node.outputs = node.op->infer(SpecRefs(specs));
    } else {
      require(dynamic_cast<const HostCall*>(call.get()) != nullptr,
              "function: a symbolic tensor of a model is used: {}.", tensor);
      node.kind = Node::Kind::kHost;
      node.host = call;
    }
    calls_.emplace(call.get(), graph_.nodes.size());
    graph_.nodes.push_back(std::move(node));
  }

  /// What host code gives is known from the tensors that stand for it.
  void note_output(size_t place, const Tensor& tensor) {
    Node& node = graph_.nodes[place];
    if (node.kind != Node::Kind::kHost) return;
    const auto index = static_cast<size_t>(tensor.note<Symbol>()->index);
    while (node.outputs.size() <= index) node.outputs.push_back({});
    node.outputs[index] = tensor.spec();
  }

  const Calls* inside_;
  Graph graph_;
  std::unordered_map<uint64_t, size_t> leaves_;
  std::unordered_map<const Call*, size_t> calls_;
};

}  // namespace

Graph trace(const TracedFunction& function, std::span<const Spec> inputs) {
  std::vector<Tensor> symbols;
  for (const Spec& spec : inputs) symbols.push_back(Tensor::symbolic(spec, Ref<Note>(new Symbol)));
  std::vector<Tensor> results;
  std::vector<Variables::Met> met;
  std::optional<Calls> inside;
  if (t_state.tracing()) inside.emplace();
  std::vector<Tensor> in_order;
  {
    Variables variables;
    const InOrder listener(variables);
    results = function(symbols);
    met = variables.all();
    in_order = listener.all();
  }
  if (inside) inside->stop_listening();
  Collector collector(inside ? &*inside : nullptr);
  for (const Tensor& symbol : symbols) collector.add(symbol, {.kind = Node::Kind::kInput});
  for (const Variables::Met& variable : met)
    collector.add(variable.before, {.kind = Node::Kind::kVariable, .variable = variable.variable});
  Graph& graph = collector.graph();
  for (const Tensor& output : in_order) collector.value_of(output);
  for (const Tensor& result : results) graph.outputs.push_back(collector.value_of(result));
  for (const Variables::Met& variable : met)
    if (!variable.now.same_as(variable.before))
      graph.updates.emplace_back(variable.variable, collector.value_of(variable.now));
  return std::move(graph);
}

}  // namespace alula::graph
