#pragma once
#include <functional>

#include "alula/graph/trace.h"

namespace alula::graph {

/// What a step of a loop gets an element of: of a tensor, along its first dimension; or of a list
/// (see History), several tensors at once.
struct LoopSource {
  Tensor value;
  std::vector<Spec> elements;
  bool listed = false;

  static LoopSource of_rows(const Tensor& tensor);
};

/// A loop to be made a node.
struct LoopRequest {
  const char* name;
  const char* function;  // what the step is to the user: "body"
  const char* variable;  // and what is carried: "loop variable"
  std::vector<LoopSource> sources = {};
  std::vector<Tensor> carried = {};
  /// What they may become; their own if it is empty.
  std::vector<Spec> carried_specs = {};
  /// (elements…, carried…) -> (carried…, products…). Products are stacked; the last ones become
  /// lists, of `lists[0]`, `lists[1]`, … tensors.
  TracedFunction step = {};
  std::vector<size_t> lists = {};
  /// Whether there is another step. Without it, there is one for each element of the sources.
  std::function<Tensor(const std::vector<Tensor>& carried)> condition = {};
  int64_t maximum_iterations = -1;  // none
  bool reverse = false;             // the last element first
};

struct LoopResult {
  std::vector<Tensor> carried;
  std::vector<Tensor> products;  // stacked
  std::vector<Tensor> lists;
};

/// Makes a loop part of the function that is being traced; or runs it, if all is there.
LoopResult make_loop(const LoopRequest& request);

}  // namespace alula::graph
