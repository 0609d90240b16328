#pragma once
#include "alula/testing/harness.h"

namespace alula::testing {

/// Compares an op's rule for many calls at once with single calls. The calls get the given inputs
/// and variants of them; each input, and all together, are what differs from call to call. Of a
/// random op, whose numbers are others each time, only the dtypes and shapes are compared, and that
/// the calls don't all draw the same. What is large is left out.
void check_batched(const Op& op, const std::vector<Tensor>& inputs, Tolerance tolerance = {});

/// The ops that `check_batched` has compared, with the dtypes that their inputs had, or outputs
/// where there are none.
const std::set<std::pair<std::string, DType>>& batched_ops();

}  // namespace alula::testing
