#pragma once
#include "alula/runtime/backend.h"

namespace alula::cuda {

using Views = InlineVector<View, 4>;

/// Where a step's operands are, once the slots are known.
inline Views bind(const std::vector<Operand>& operands, std::span<void* const> slots) {
  Views views;
  for (const Operand& operand : operands)
    views.push_back({&operand.spec, static_cast<std::byte*>(slots[operand.slot]) + operand.offset});
  return views;
}

}  // namespace alula::cuda
