#pragma once
#include <cstddef>

#include "alula/backends/cpu/jit_registers.h"

namespace alula::cpu::jit {

/// How results are written: as usual, or past the caches. The latter needs outputs that are aligned
/// to a vector.
enum class Stores : uint8_t { kPlain, kStreaming };

/// Machine code, still to be put where it can run: `entry` bytes of constants, then the function
///   int64_t f(void* const* addresses, const uint64_t* words, int64_t n)
/// `addresses`: those of the inputs, then those of the outputs; `words`: one for each constant and
/// parameter of the program, of which it reads the parameters. It computes elements from the first
/// on and returns how many. With AVX-512 these are all n; with AVX2 whole vectors only. There may
/// be fewer if it met an argument that a function does not take: then nothing is written of the
/// vectors with it.
struct Emitted {
  std::vector<uint8_t> bytes;
  size_t entry = 0;
};

/// Nothing if this build has no assembler, or the code would be too long.
Emitted emit(const Nodes& nodes, const Plan& plan, int inputs, Stores stores);

}  // namespace alula::cpu::jit
