#include "alula/runtime/by_ops.h"

#include <unordered_map>

namespace alula {
namespace {

/// Filled before `main`.
std::unordered_map<const OpType*, ByOps>& table() {
  static std::unordered_map<const OpType*, ByOps> all;
  return all;
}

}  // namespace

ByOps by_ops_of(const OpType& type) {
  const auto found = table().find(&type);
  return found == table().end() ? nullptr : found->second;
}

void register_by_ops(const OpType& type, ByOps function) { table().emplace(&type, function); }

}  // namespace alula
