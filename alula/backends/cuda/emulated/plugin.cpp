// A plugin in the place of libalula_cuda.so, for machines without a GPU: /GPU:0 is the host, and
// runs the GPU's own kernels. ALULA_PLUGIN names it; ALULA_EMULATED_GPUS says how many GPUs the
// host is.
#include "alula/runtime/plugin.h"

#include <algorithm>
#include <cstdlib>

#include "alula/backends/cuda/emulated/backend.h"
#include "alula/runtime/devices.h"

extern "C" const char* alula_plugin(alula::plugin::BuildId id) {
  static std::string problem;
  problem = alula::plugin::problem_with_build(
      {alula::kBackendVersion, ALULA_VERSION " " __VERSION__}, id);
  if (!problem.empty()) return problem.c_str();
  constexpr int kMost = 16;
  const char* wanted = std::getenv("ALULA_EMULATED_GPUS");
  const int count = wanted == nullptr ? 1 : std::clamp(std::atoi(wanted), 1, kMost);
  for (int i = 0; i < count; ++i)
    alula::add_backend(std::make_unique<alula::cuda::emulated::EmulatedBackend>(i));
  return nullptr;
}
