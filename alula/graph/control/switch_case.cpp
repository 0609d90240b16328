#include "alula/graph/control/switch_case.h"

#include "alula/graph/control/cond.h"
#include "alula/ops/operators.h"
#include "alula/ops/where.h"

namespace alula {
namespace {

using BranchFunction = std::function<std::vector<Tensor>()>;

/// Calls one of the functions [begin, end), by halves.
std::vector<Tensor> choose(const Tensor& index, const std::vector<BranchFunction>& functions,
                           size_t begin, size_t end) {
  if (end - begin == 1) return functions[begin]();
  const size_t middle = begin + (end - begin) / 2;
  return cond(index < static_cast<int32_t>(middle),
              BranchFunction([&] { return choose(index, functions, begin, middle); }),
              BranchFunction([&] { return choose(index, functions, middle, end); }));
}

std::vector<Tensor> first_true(const std::vector<CasePair>& pairs, size_t begin,
                               const BranchFunction& otherwise) {
  if (begin == pairs.size()) return otherwise();
  return cond(pairs[begin].first, pairs[begin].second,
              BranchFunction([&] { return first_true(pairs, begin + 1, otherwise); }));
}

}  // namespace

std::vector<Tensor> switch_case(const Tensor& branch_index,
                                const std::vector<BranchFunction>& branch_fns) {
  require(branch_index.defined(), "switch_case: the branch index is not defined yet.");
  require(branch_index.dtype() == int32 && branch_index.rank() == 0,
          "switch_case: the branch index must be a scalar int32. Got {}. Use cast().",
          branch_index.spec());
  require(!branch_fns.empty(), "switch_case: there is no function to call. Give it at least one.");
  for (const BranchFunction& function : branch_fns)
    require(function != nullptr, "switch_case: there is no function to call.");
  // Numbers from the last one on are of the last one; so must those below 0 be.
  const Tensor last(static_cast<int32_t>(branch_fns.size()) - 1);
  return choose(where(branch_index < 0, last, branch_index), branch_fns, 0, branch_fns.size());
}

std::vector<Tensor> case_(const std::vector<CasePair>& pred_fn_pairs,
                          const BranchFunction& default_fn) {
  require(default_fn != nullptr,
          "case_: there is no default function. Give one for when no predicate is true.");
  return first_true(pred_fn_pairs, 0, default_fn);
}

}  // namespace alula
