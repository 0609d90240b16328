#pragma once
#include <mutex>

#include "alula/data/call.h"
#include "alula/data/stage.h"
#include "alula/graph/compiled.h"
#include "alula/ops/random.h"

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
  size_t variable_count() const { return variables_.size(); }

  /// What it makes of an element, in its place. Random ops draw for the element number `index`.
  void run(Row& row, const Row& variables, const random::ElementScope::Keys& keys,
           int64_t index) const;
  /// The same for `count` stacked elements, the first of which is number `first`.
  void run_block(Row& block, int64_t count, const Row& variables,
                 const random::ElementScope::Keys& keys, int64_t first) const;

  /// Whether it draws random numbers that differ from element to element.
  bool draws() const;
  /// How many elements a call is for: one, or so many stacked ones.
  struct Elements {
    int64_t stacked = 0;  // 0: one
  };
  /// Where its random ops draw from, the first one, the second one, …
  using Sources = std::function<std::shared_ptr<random::Source>(uint64_t call)>;
  /// What it makes of tensors in a function that is being traced, as a part of that.
  std::vector<Tensor> call_later(const Row& row, const Elements& elements, const Row& variables,
                                 const Sources& sources) const;
  /// Why it cannot be a part of a function on a device for elements of these specs, one or so many
  /// stacked ones; empty if it can.
  std::string why_not_on(Device device, const std::vector<Spec>& element,
                         const Elements& elements) const;

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
