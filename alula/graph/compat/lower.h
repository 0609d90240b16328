#pragma once
#include <memory>
#include <unordered_map>

#include "alula/graph/compat/graph_state.h"
#include "alula/graph/graph.h"

namespace alula::compat::v1::internal {

/// A session's value of a graph's variable.
struct SessionVariable {
  std::string name;
  alula::Variable value;
  bool initialized = false;
};

/// A session's variables, by the tensors that stand for them.
class SessionVariables {
 public:
  SessionVariable& of(const Tensor& symbol);

 private:
  std::unordered_map<uint64_t, std::unique_ptr<SessionVariable>> variables_;
};

/// What a run asks for: values for `fed` come with it.
struct Request {
  uint64_t graph = 0;
  std::vector<Tensor> fetches = {};
  std::vector<Tensor> targets = {};  // their values are not asked for
  std::vector<Tensor> fed = {};
  std::vector<Spec> specs = {};  // of the values
};

/// A part of a session's graph, with shapes known and variables those of the session.
struct Lowered {
  graph::Graph graph;
  std::vector<SessionVariable*> read, written;
  std::unordered_map<const Op*, Device> devices;  // where ops were said to run
  Scopes scopes;                                  // of the ops that have one
};

Lowered lower(const Request& request, SessionVariables& variables);

}  // namespace alula::compat::v1::internal
