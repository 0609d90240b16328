#pragma once
#include <functional>
#include <utility>
#include <vector>

#include "alula/core/tensor.h"

namespace alula {

/// Calls the function of that number, from 0, and returns what it returned; of a number that none
/// has, the last one. In a function that is being traced, all are traced, as `cond` does.
///   switch_case(kind, {[&] { return std::vector{x}; }, [&] { return std::vector{x * x}; }})
/// branch_index: int32[]
std::vector<Tensor> switch_case(
    const Tensor& branch_index,
    const std::vector<std::function<std::vector<Tensor>()>>& branch_fns);

/// A scalar bool, and what to call if it is true.
using CasePair = std::pair<Tensor, std::function<std::vector<Tensor>()>>;

/// Calls the function of the first pair that is true; if none is, `default_fn`.
///   case_({{x < 0, negative}, {x > 10, large}}, otherwise)
std::vector<Tensor> case_(const std::vector<CasePair>& pred_fn_pairs,
                          const std::function<std::vector<Tensor>()>& default_fn);

}  // namespace alula
