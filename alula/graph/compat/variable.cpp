#include "alula/graph/compat/variable.h"

#include "alula/graph/compat/assignment.h"
#include "alula/ops/fill.h"

namespace alula::compat::v1 {

using internal::Assignment;
using internal::GraphState;
using internal::VariableNote;

namespace {

const VariableNote& note_of(const Tensor& tensor, const char* who) {
  require(tensor.defined(), "{}: the variable is not defined yet.", who);
  const auto* note = tensor.is_symbolic() ? tensor.note<VariableNote>() : nullptr;
  require(note != nullptr, "{}: this tensor is no variable. Got {}. Use get_variable().", who,
          tensor.spec());
  return *note;
}

const char* name_of(Assignment::Kind kind) {
  switch (kind) {
    case Assignment::Kind::kSet: return "assign";
    case Assignment::Kind::kAdd: return "assign_add";
    case Assignment::Kind::kSubtract: return "assign_sub";
  }
  return "";
}

/// Notes an assignment to what `variable` stands for.
Tensor assign_later(Assignment::Kind kind, const Tensor& variable, const Tensor& value) {
  const char* who = name_of(kind);
  const VariableNote& note = note_of(variable, who);
  require(value.defined(), "{}: the value for '{}' is not defined yet.", who, note.name);
  require(value.dtype() == variable.dtype() && compatible(value.shape(), variable.shape()),
          "{}: the variable '{}' is {}. Got {}. {}", who, note.name, variable.spec(), value.spec(),
          value.dtype() == variable.dtype() ? "Use reshape()." : "Use cast().");
  Tensor changed = symbolic_outputs(std::make_shared<Assignment>(kind, variable, value),
                                    {&variable.spec(), 1})[0];
  GraphState& graph = get_default_graph().state();
  auto* named = new internal::Named;
  graph.describe(*named, graph.unique_name(who));
  named->graph = note.graph;
  changed.add_note(Ref<Note>(named));
  return changed;
}

Tensor assign_later(Assignment::Kind kind, const alula::Variable& variable, const Tensor& value) {
  return assign_later(kind, get_default_graph().state().read(variable), value);
}

/// One more variable of a graph, by its full name.
Tensor add_variable(GraphState& graph, std::string name, const Tensor& initial_value,
                    const Spec& spec, bool trainable) {
  require(spec.shape.is_known(),
          "variable: the shape of '{}' must be known. Got {}. Give it a shape, or an initial value "
          "of a known one.",
          name, spec);
  auto* note = new VariableNote;
  graph.describe(*note, std::move(name));
  note->initial_value = initial_value;
  note->trainable = trainable;
  Tensor symbol = Tensor::symbolic(spec, Ref<Note>(new Symbol));
  symbol.add_note(Ref<Note>(note));
  graph.variables.push_back(symbol);
  return symbol;
}

std::vector<Tensor> initializers_of(const std::vector<Variable>& variables) {
  std::vector<Tensor> parts;
  for (const Variable& variable : variables)
    parts.push_back(variable.assign(variable.initial_value()));
  return parts;
}

}  // namespace

Tensors Assignment::run(std::span<const Tensor>) const {
  fail<FailedPreconditionError>("{}: '{}' is changed in a session alone. Use Session::run().",
                                name_of(kind_), note().name);
}

Operation group(const std::vector<Operation>& operations) {
  std::vector<Tensor> parts;
  for (const Operation& operation : operations)
    parts.insert(parts.end(), operation.parts().begin(), operation.parts().end());
  return parts;
}

Operation group(const std::vector<Tensor>& tensors) { return tensors; }

Variable::Variable(const Tensor& initial_value, const VariableOptions& options) {
  require(initial_value.defined(), "Variable: '{}' needs an initial value.", options.name);
  GraphState& graph = get_default_graph().state();
  static_cast<Tensor&>(*this) = add_variable(graph, graph.unique_name(options.name), initial_value,
                                             initial_value.spec(), options.trainable);
}

Variable Variable::of(const Tensor& tensor, const char* who) {
  note_of(tensor, who);
  Variable variable;
  static_cast<Tensor&>(variable) = tensor;
  return variable;
}

const std::string& Variable::name() const { return note_of(*this, "name").name; }
bool Variable::trainable() const { return note_of(*this, "trainable").trainable; }
const Tensor& Variable::initial_value() const {
  return note_of(*this, "initial_value").initial_value;
}
Operation Variable::initializer() const { return initializers_of({*this}); }

Tensor Variable::assign(const Tensor& value) const { return v1::assign(*this, value); }
Tensor Variable::assign_add(const Tensor& delta) const { return v1::assign_add(*this, delta); }
Tensor Variable::assign_sub(const Tensor& delta) const { return v1::assign_sub(*this, delta); }

Tensor assign(const Variable& variable, const Tensor& value) {
  return assign_later(Assignment::Kind::kSet, variable, value);
}
Tensor assign_add(const Variable& variable, const Tensor& delta) {
  return assign_later(Assignment::Kind::kAdd, variable, delta);
}
Tensor assign_sub(const Variable& variable, const Tensor& delta) {
  return assign_later(Assignment::Kind::kSubtract, variable, delta);
}
Tensor assign(const alula::Variable& variable, const Tensor& value) {
  return assign_later(Assignment::Kind::kSet, variable, value);
}
Tensor assign_add(const alula::Variable& variable, const Tensor& delta) {
  return assign_later(Assignment::Kind::kAdd, variable, delta);
}
Tensor assign_sub(const alula::Variable& variable, const Tensor& delta) {
  return assign_later(Assignment::Kind::kSubtract, variable, delta);
}

Operation operation(const std::function<void()>& body) {
  const Graph graph = get_default_graph();
  const GraphScope scope(graph);
  graph.state().note_assignments();
  try {
    body();
  } catch (...) {
    graph.state().noted_assignments();
    throw;
  }
  return graph.state().noted_assignments();
}

namespace {

Tensor find(const GraphState& graph, const std::string& name) {
  for (const Tensor& variable : graph.variables)
    if (variable.note<VariableNote>()->name == name) return variable;
  return {};
}

Initializer default_of(DType dtype) {
  return is_floating(dtype) ? glorot_uniform_initializer() : zeros_initializer();
}

Variable reused(const Tensor& variable, const std::string& name,
                const GetVariableOptions& options) {
  const bool shaped = !options.initializer.value().defined() && options.shape.rank() > 0;
  const Spec asked{options.dtype, shaped ? options.shape : variable.shape()};
  require(variable.spec() == asked, "get_variable: '{}' is {}. Got {}.", name, variable.spec(),
          asked);
  return Variable::of(variable, "get_variable");
}

}  // namespace

Variable get_variable(const std::string& name, const GetVariableOptions& options) {
  const Graph graph = get_default_graph();
  GraphState& state = graph.state();
  const std::string full = state.variable_scope + name;
  require(!name.empty(), "get_variable: the name is empty.");
  const Tensor taken = find(state, full);
  if (taken.defined()) {
    require(state.reuse != Reuse::kNo,
            "get_variable: there is a variable '{}' already, {}. Choose another name, or reuse it: "
            "variable_scope(\"…\", {{.reuse = Reuse::kAuto}}).",
            full, taken.spec());
    return reused(taken, full, options);
  }
  require<NotFoundError>(state.reuse != Reuse::kYes,
                         "get_variable: there is no variable '{}' to reuse. Make it first, or use "
                         "Reuse::kAuto.",
                         full);
  const GraphScope scope(graph);  // the initial value is computed in the session
  const Initializer& given = options.initializer;
  const Tensor initial =
      given.value().defined()
          ? given.value()
          : (given.given() ? given : default_of(options.dtype))(options.shape, options.dtype);
  return Variable::of(add_variable(state, full, initial, initial.spec(), options.trainable),
                      "get_variable");
}

VariableScope::VariableScope(const std::string& name, const VariableScopeOptions& options)
    : names_(name),
      graph_(get_default_graph()),
      outer_(graph_.state().variable_scope),
      outer_reuse_(graph_.state().reuse) {
  graph_.state().variable_scope = outer_ + name + "/";
  if (options.reuse != Reuse::kNo) graph_.state().reuse = options.reuse;
}

VariableScope::~VariableScope() {
  graph_.state().variable_scope = outer_;
  graph_.state().reuse = outer_reuse_;
}

std::vector<Variable> global_variables() {
  std::vector<Variable> variables;
  for (const Tensor& variable : get_default_graph().state().variables)
    variables.push_back(Variable::of(variable, "global_variables"));
  return variables;
}

std::vector<Variable> trainable_variables() {
  std::vector<Variable> variables = global_variables();
  std::erase_if(variables, [](const Variable& variable) { return !variable.trainable(); });
  return variables;
}

Operation global_variables_initializer() { return initializers_of(global_variables()); }

Operation variables_initializer(const std::vector<Variable>& variables) {
  return initializers_of(variables);
}

}  // namespace alula::compat::v1
