#pragma once
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "alula/runtime/dispatch.h"

namespace alula::compat::v1::internal {

/// What symbolic tensors are made of.
struct Walk {
  std::vector<std::shared_ptr<const Call>> calls;  // each after those that it needs
  std::vector<Tensor> leaves;                      // symbolic tensors that no call makes
  std::unordered_map<const Call*, std::vector<Tensor>> outputs;  // those met, by position
};

/// Follows tensors back to their leaves, or to those of the ids `known`.
Walk walk_back(std::span<const Tensor> from, const std::unordered_set<uint64_t>& known = {});

}  // namespace alula::compat::v1::internal
