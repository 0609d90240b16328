#include "alula/graph/compat/lower.h"

#include <algorithm>

#include "alula/graph/compat/assignment.h"
#include "alula/graph/compat/walk.h"
#include "alula/graph/trace.h"
#include "alula/runtime/devices.h"

namespace alula::compat::v1::internal {
namespace {

template <class T>
void add_once(std::vector<T*>& list, T* item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

void check_graph(const Tensor& tensor, uint64_t graph) {
  const auto* named = tensor.note<Named>();
  require(named == nullptr || named->graph == graph,
          "Session: '{}' belongs to another graph. Got {}. Run it in a session of that graph: "
          "Session session({{.graph = graph}}).",
          named == nullptr ? "" : named->name, tensor.spec());
}

bool is_assignment(const Tensor& tensor) {
  const Symbol* symbol = tensor.is_symbolic() ? tensor.note<Symbol>() : nullptr;
  return symbol != nullptr && dynamic_cast<const Assignment*>(symbol->call.get()) != nullptr;
}

/// Calls anew what was noted, within a trace: now the shapes are known.
class Replay {
 public:
  Replay(const Walk& walk, SessionVariables& variables, Lowered& lowered)
      : walk_(walk), variables_(variables), lowered_(lowered) {}

  void feed(const Tensor& tensor, const Tensor& value) { values_.emplace(tensor.id(), value); }

  void run() {
    // Variables first: what reads them sees their values from before the run.
    for (const Tensor& leaf : walk_.leaves) values_.emplace(leaf.id(), read(leaf));
    for (const auto& call : walk_.calls) outputs_.emplace(call.get(), outputs_of(*call));
  }

  Tensor value_of(const Tensor& tensor) const {
    if (!tensor.is_symbolic()) return tensor;
    if (const auto known = values_.find(tensor.id()); known != values_.end()) return known->second;
    const Symbol& symbol = *tensor.note<Symbol>();
    return outputs_.at(symbol.call.get())[static_cast<size_t>(symbol.index)];
  }

 private:
  Tensor read(const Tensor& leaf) {
    if (const auto* note = leaf.note<VariableNote>()) {
      if (note->eager.defined()) return note->eager.value();
      SessionVariable& variable = variables_.of(leaf);
      add_once(lowered_.read, &variable);
      return variable.value.value();
    }
    const auto* placeholder = leaf.note<PlaceholderNote>();
    require(placeholder != nullptr, "Session: a symbolic tensor of a model is used. Got {}.",
            leaf.spec());
    fail(
        "Session: the placeholder '{}' needs a value. It is {}. Feed it: session.run(…, "
        "{{.feed_dict = {{{{{}, value}}}}}}).",
        placeholder->name, leaf.spec(), placeholder->name);
  }

  Tensors outputs_of(const Call& call) {
    std::vector<Tensor> inputs;
    for (const Tensor& input : call.inputs()) inputs.push_back(value_of(input));
    if (const auto* op = dynamic_cast<const OpCall*>(&call)) return called(*op, inputs);
    if (const auto* assignment = dynamic_cast<const Assignment*>(&call))
      return {assigned(*assignment, inputs[0])};
    if (dynamic_cast<const HostCall*>(&call) != nullptr) {
      const std::vector<Tensor>& asked = walk_.outputs.at(&call);  // asked anew at every run
      return {asked.begin(), asked.end()};
    }
    return call.run(inputs);
  }

  Tensors called(const OpCall& call, const std::vector<Tensor>& inputs) {
    std::vector<const Tensor*> refs;
    for (const Tensor& input : inputs) refs.push_back(&input);
    Tensors outputs = call_later(*call.op(), TensorRefs(refs));
    const auto& again = static_cast<const OpCall&>(*outputs[0].note<Symbol>()->call);
    if (const Named* named = name_of(walk_.outputs.at(&call))) keep_name(*named, again.op());
    return outputs;
  }

  static const Named* name_of(const std::vector<Tensor>& outputs) {
    for (const Tensor& output : outputs)
      if (output.defined()) return output.note<Named>();
    return nullptr;
  }

  void keep_name(const Named& named, const std::shared_ptr<const Op>& op) {
    if (named.placed) lowered_.devices.emplace(op.get(), named.device);
    const size_t slash = named.name.rfind('/');
    if (slash != std::string::npos)
      lowered_.scopes.emplace(op.get(), Scope{op, named.name.substr(0, slash + 1)});
  }

  Tensor assigned(const Assignment& assignment, const Tensor& value) {
    alula::Variable variable = assignment.note().eager;
    if (!variable.defined()) {
      SessionVariable& own = variables_.of(assignment.variable());
      const bool sets = assignment.kind() == Assignment::Kind::kSet;
      if (!sets) add_once(lowered_.read, &own);
      add_once(lowered_.written, &own);
      variable = own.value;
    }
    switch (assignment.kind()) {
      case Assignment::Kind::kSet: variable.assign(value); break;
      case Assignment::Kind::kAdd: variable.assign_add(value); break;
      case Assignment::Kind::kSubtract: variable.assign_sub(value); break;
    }
    return variable.value();
  }

  const Walk& walk_;
  SessionVariables& variables_;
  Lowered& lowered_;
  std::unordered_map<uint64_t, Tensor> values_;  // of what is fed, and of leaves
  std::unordered_map<const Call*, Tensors> outputs_;
};

}  // namespace

SessionVariable& SessionVariables::of(const Tensor& symbol) {
  std::unique_ptr<SessionVariable>& variable = variables_[symbol.id()];
  if (variable == nullptr) {
    const auto& note = *symbol.note<VariableNote>();
    Tensor room = Tensor::uninitialized(symbol.spec());
    if (note.placed && symbol.dtype() != string) room = moved(room, note.device);
    variable = std::make_unique<SessionVariable>(
        note.name, alula::Variable(room, {.trainable = note.trainable, .name = note.name}));
  }
  return *variable;
}

Lowered lower(const Request& request, SessionVariables& variables) {
  std::vector<Tensor> wanted = request.fetches;
  wanted.insert(wanted.end(), request.targets.begin(), request.targets.end());
  std::unordered_set<uint64_t> fed;
  for (const Tensor& tensor : request.fed) {
    check_graph(tensor, request.graph);
    fed.insert(tensor.id());
  }
  const Walk walk = walk_back(wanted, fed);
  for (const Tensor& leaf : walk.leaves) check_graph(leaf, request.graph);
  for (const auto& [call, outputs] : walk.outputs)
    for (const Tensor& output : outputs)
      if (output.defined()) check_graph(output, request.graph);

  Lowered lowered;
  lowered.graph = graph::trace(
      [&](const std::vector<Tensor>& inputs) {
        Replay replay(walk, variables, lowered);
        for (size_t i = 0; i < inputs.size(); ++i) replay.feed(request.fed[i], inputs[i]);
        replay.run();
        std::vector<Tensor> results;
        for (const Tensor& fetch : request.fetches) results.push_back(replay.value_of(fetch));
        // Assignments are done anyway. Asking for what they give would cost a copy.
        for (const Tensor& target : request.targets)
          if (!is_assignment(target)) results.push_back(replay.value_of(target));
        return results;
      },
      request.specs);
  return lowered;
}

}  // namespace alula::compat::v1::internal
