#pragma once
#include <cstring>
#include <type_traits>

#include "alula/backends/cpu/routines.h"

namespace alula::cpu {

/// Copies elements, in another type where they differ: kernels compute 16-bit floats in float.
template <class To, class From>
void convert(To* to, const From* from, int64_t count) {
  if (count == 0) return;
  if constexpr (std::is_same_v<To, From>) {
    std::memcpy(to, from, count * sizeof(To));
  } else {
    static const Routine routine =
        find_routine(scalar::Opcode::kCast, dtype_of<From>, dtype_of<To>);
    const void* operands[] = {from};
    uint32_t faults = 0;
    routine(to, operands, 0, count, &faults);
  }
}

}  // namespace alula::cpu
