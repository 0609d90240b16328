#include "alula/graph/compat/graph.h"

#include <atomic>

#include "alula/graph/compat/graph_state.h"
#include "alula/graph/compat/variable.h"

namespace alula::compat::v1 {
namespace internal {
namespace {

uint64_t next_number() {
  static std::atomic<uint64_t> count = 0;
  return ++count;
}

/// Makes ops of this thread build this graph, or run if it is none.
void install(VariableTracer* tracer) {
  t_state.tracer = tracer;
  if (tracer != nullptr)
    t_state.flags |= ThreadState::kTracing;
  else
    t_state.flags &= ~static_cast<uint32_t>(ThreadState::kTracing);
}

}  // namespace

GraphState::GraphState() : number_(next_number()) {}

void GraphState::describe(Named& note, std::string name) const {
  note.graph = number_;
  note.name = std::move(name);
  note.placed = (t_state.flags & ThreadState::kDeviceScope) != 0;
  if (note.placed) note.device = t_state.device;
}

std::string GraphState::unique_name(const std::string& name) {
  std::string full = name_scope + name;
  const int count = names_[full]++;
  if (count == 0) return full;
  // "x_1" may have been asked for as such.
  std::string numbered = fmt::format("{}_{}", full, count);
  while (names_.contains(numbered)) numbered = fmt::format("{}_{}", full, names_[full]++);
  names_.emplace(numbered, 1);
  return numbered;
}

void GraphState::noted(const Op& op, std::span<Tensor> outputs) {
  const std::string name = unique_name(op.name());
  for (Tensor& output : outputs) {
    auto* note = new Named;
    describe(*note, name);
    output.add_note(Ref<Note>(note));
  }
}

Tensor GraphState::read(const alula::Variable& variable) {
  // In Python, a graph's own variable is one whose value is the symbol that stands for it.
  if (variable.storage().is_symbolic()) return variable.storage();
  if (const auto newest = newest_.find(variable.key()); newest != newest_.end())
    return newest->second;
  Tensor& symbol = reads_[variable.key()];
  if (!symbol.defined()) {
    auto* note = new VariableNote;
    describe(*note, variable.name());
    note->eager = variable;
    note->trainable = variable.trainable();
    symbol = Tensor::symbolic(variable.spec(), Ref<Note>(new Symbol));
    symbol.add_note(Ref<Note>(note));
  }
  return symbol;
}

void GraphState::assign(const alula::Variable& variable, const Tensor& value) {
  require<FailedPreconditionError>(
      noting_,
      "assign: while a graph is built, assigning to the variable '{}' changes nothing by itself. "
      "Use compat::v1::assign(), or compat::v1::operation(), and run what that returns.",
      variable.name());
  assignments_.push_back(v1::assign(variable, value));
  newest_[variable.key()] = value;
}

void GraphState::note_assignments() {
  require<FailedPreconditionError>(!noting_, "operation: one is being made already.");
  noting_ = true;
}

std::vector<Tensor> GraphState::noted_assignments() {
  noting_ = false;
  newest_.clear();
  return std::exchange(assignments_, {});
}

Building::Building(GraphState* state) : outer_(t_state.tracing() ? t_state.tracer : nullptr) {
  install(state);
}

Building::~Building() { install(outer_); }

}  // namespace internal

namespace {

using internal::GraphState;

/// What a thread's ops do: the graphs of its scopes, innermost last, and what holds outside.
struct Mode {
  std::vector<Graph> scopes;
  Graph outside;
  bool eager = true;

  /// Has dispatch do as it says.
  void apply() const {
    const Graph* current = !scopes.empty() ? &scopes.back() : eager ? nullptr : &outside;
    internal::install(current == nullptr ? nullptr : &current->state());
  }
};

Mode& mode() {
  thread_local Mode mode;
  return mode;
}

void check_no_trace(const char* who) {
  require<FailedPreconditionError>(!t_state.tracing() || graph_builder() != nullptr,
                                   "{}: a function is being traced. Call it outside of function().",
                                   who);
}

}  // namespace

Graph::Graph() : state_(std::make_shared<GraphState>()) {}

GraphScope Graph::as_default() const { return GraphScope(*this); }

std::string Graph::unique_name(const std::string& name) const { return state_->unique_name(name); }

GraphStatistics Graph::statistics() const { return state_->tallies.statistics(); }

GraphScope::GraphScope(const Graph& graph) {
  check_no_trace("as_default");
  mode().scopes.push_back(graph);
  mode().apply();
}

GraphScope::~GraphScope() {
  mode().scopes.pop_back();
  mode().apply();
}

Graph get_default_graph() {
  const Mode& now = mode();
  return now.scopes.empty() ? now.outside : now.scopes.back();
}

void reset_default_graph() {
  require<FailedPreconditionError>(
      mode().scopes.empty(),
      "reset_default_graph: a session or another graph's scope is open. Close it first.");
  mode().outside = Graph();
  mode().apply();
}

void disable_eager_execution() {
  check_no_trace("disable_eager_execution");
  mode().eager = false;
  mode().apply();
}

void enable_eager_execution() {
  check_no_trace("enable_eager_execution");
  mode().eager = true;
  mode().apply();
}

bool executing_eagerly() { return !t_state.tracing(); }

NameScope::NameScope(const std::string& name)
    : graph_(get_default_graph()), outer_(graph_.state().name_scope) {
  require(!name.empty(), "name_scope: the name is empty.");
  const std::string scope = graph_.unique_name(name) + "/";
  graph_.state().name_scope = scope;
}

NameScope::~NameScope() { graph_.state().name_scope = outer_; }

}  // namespace alula::compat::v1
