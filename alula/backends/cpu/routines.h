#pragma once
#include <cstdint>

#include "alula/core/dtype.h"
#include "alula/scalar/program.h"

/// The CPU's routines for the instructions of scalar programs: each a loop over a tile of elements,
/// compiled for several instruction sets, the best of which is picked when first asked for.
namespace alula::cpu {

/// What went wrong with some element; bits.
enum Fault : uint32_t { kDivisionByZero = 1, kNegativePower = 2 };

/// Computes `n` elements. Bit k of `uniform` says that operand k is a single value. `out` may be
/// one of the operands.
using Routine = void (*)(void* out, const void* const* operands, uint32_t uniform, int64_t n,
                         uint32_t* faults);

/// The routine of an instruction whose (last) operand is of dtype `operand`; none if there is none.
Routine find_routine(scalar::Opcode opcode, DType operand, DType result);

/// About how many nanoseconds it takes for an element.
double routine_cost(scalar::Opcode opcode, DType operand);

/// Copies past the caches, for results too large for them. `to` must be aligned to 64 bytes.
void stream_copy(void* to, const void* from, int64_t bytes);

}  // namespace alula::cpu
