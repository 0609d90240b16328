#pragma once
#include <mutex>

#include "alula/data/call.h"
#include "alula/data/stage.h"
#include "alula/graph/compiled.h"

namespace alula::data {

/// A user's function of an element, traced once, that runs for one element or for many stacked
/// ones. Any number of threads may run it at the same time.
class Traced {
 public:
  /// `who` speaks in errors.
  Traced(const char* who, const ElementFunction& function, const ElementSpec& input);

  const ElementSpec& output() const { return output_; }
  /// Whether many elements can be done with one call, and if not, why.
  bool vectorizes() const { return why_not_.empty(); }
  const std::string& why_not() const { return why_not_; }

  /// The values of the variables that it reads, as they are now.
  Row variables() const;

  /// What it makes of an element, in its place. Random ops draw for the element number `index`.
  void run(Row& row, const Row& variables, const random::ElementScope::Keys& keys,
           int64_t index) const;
  /// The same for `count` stacked elements, the first of which is number `first`.
  void run_block(Row& block, int64_t count, const Row& variables,
                 const random::ElementScope::Keys& keys, int64_t first) const;

 private:
  using CompiledRef = std::shared_ptr<graph::Compiled>;
  CompiledRef make_block(int64_t count) const;
  CompiledRef for_block(int64_t count) const;
  std::vector<const Tensor*> arguments(const Row& row, const Row& variables) const;
  void use_variables_as_inputs();

  graph::Graph graph_;
  ElementSpec output_;
  std::string why_not_;
  std::vector<Variable> variables_;
  std::vector<std::pair<bool, size_t>> order_;  // of the graph's inputs: a variable? which one?
  CompiledRef single_;  // none if shapes are unknown: then the graph runs node by node
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<int64_t, CompiledRef>> blocks_;  // the last used first
};

}  // namespace alula::data
