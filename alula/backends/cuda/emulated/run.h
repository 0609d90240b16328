#pragma once
#include "alula/backends/cuda/card.h"
#include "alula/backends/cuda/emulated/threads.h"

namespace alula::cuda::emulated {

/// One thread of a kernel, from its start to its end; compiled from its source for the host.
using ThreadFunction = void (*)(Engine& engine, void** arguments);

/// Runs all threads of all blocks, one block after another. The threads of a block take turns: each
/// runs until it waits for others, on a stack of its own. A kernel in which some threads wait for
/// what the others never come to is an InternalError.
void run_grid(ThreadFunction thread, const Grid& grid, void** arguments);

}  // namespace alula::cuda::emulated
