#pragma once
#include <span>
#include <string>
#include <vector>

#include "alula/graph/graph.h"

namespace alula::graph {

/// A function from graph to graph. It may leave nodes in any order, and dead ones.
struct Pass {
  const char* name;
  void (*run)(Graph& graph);
};

/// All passes, in the order in which they run.
std::span<const Pass> passes();

struct PassOptions {
  /// Names of passes that are left out: {"fuse_elementwise"}. The environment variable
  /// ALULA_WITHOUT_PASSES, names separated by commas, leaves out more; "all" is all of them.
  std::vector<std::string> without;

  bool has(const char* name) const;
};

/// The names that can be left out: those of the passes, and "in_place" and "plan_memory", which
/// decide where values lie once the passes are done.
std::vector<std::string> pass_names();

/// Runs the passes.
void optimize(Graph& graph, const PassOptions& options = {});

// The passes: one a file in passes/, which says what it does.
void fold_constants(Graph& graph);
void simplify(Graph& graph);
void simplify_softmax(Graph& graph);
void common_subexpressions(Graph& graph);
void layout(Graph& graph);
void pool_first(Graph& graph);
void fuse_conv2d(Graph& graph);
void fuse_conv2d_gradient(Graph& graph);
void fuse_elementwise(Graph& graph);
void fuse_matmul(Graph& graph);
void fuse_reduce(Graph& graph);
void fuse_gather(Graph& graph);

}  // namespace alula::graph
