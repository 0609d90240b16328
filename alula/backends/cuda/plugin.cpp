#include "alula/runtime/plugin.h"

#include <fstream>
#include <regex>

#include "alula/backends/cuda/backend.h"
#include "alula/backends/cuda/nvrtc.h"
#include "alula/runtime/devices.h"

namespace alula::cuda {
namespace {

constexpr int kMostGpus = 16;  // that the library keeps apart

/// "580.65.06", from the kernel's module; empty where it does not say.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::smatch found;
  return std::regex_search(line, found, std::regex(R"((\d+\.\d+(\.\d+)?))")) ? found.str() : "";
}

/// The first driver for each version of CUDA.
int driver_for(int cuda_major) { return cuda_major >= 13 ? 580 : 525; }

/// A driver runs what was built for its version of CUDA, for older ones, and for newer ones of the
/// same major version.
std::string problem_with_driver() {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
    return "the NVIDIA driver does not answer";
  const int needed = CUDART_VERSION / 1000;
  if (driver / 1000 >= needed) return "";
  const std::string version = driver_version();
  return fmt::format(
      "the driver ({}) is older than the plugin needs (>= {})",
      version.empty() ? fmt::format("for CUDA {}.{}", driver / 1000, driver % 1000 / 10) : version,
      driver_for(needed));
}

std::string add_gpus() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaErrorNoDevice || (code == cudaSuccess && count == 0))
    return "the driver shows no GPU (perhaps CUDA_VISIBLE_DEVICES hides it)";
  if (code != cudaSuccess)
    return fmt::format("the driver does not start ({})", cudaGetErrorString(code));
  const int oldest = supported_architectures().front();
  std::string too_old;
  int added = 0;
  for (int ordinal = 0; ordinal < count && added < kMostGpus; ++ordinal) {
    GpuInfo info = info_of(ordinal);
    if (info.architecture < oldest) {
      too_old = fmt::format(
          "the {} (compute capability {}.{}) is older than this CUDA supports (>= {}.{})",
          info.name, info.architecture / 10, info.architecture % 10, oldest / 10, oldest % 10);
      continue;
    }
    add_backend(std::make_unique<CudaBackend>(Device(DeviceType::kGPU, added), std::move(info)));
    ++added;
  }
  return added > 0 ? "" : too_old;
}

std::string start(const plugin::BuildId& id) {
  const plugin::BuildId own{kBackendVersion, ALULA_VERSION " " __VERSION__};
  if (std::string problem = plugin::problem_with_build(own, id); !problem.empty()) return problem;
  if (std::string problem = problem_with_driver(); !problem.empty()) return problem;
  return add_gpus();
}

}  // namespace
}  // namespace alula::cuda

extern "C" const char* alula_plugin(alula::plugin::BuildId id) {
  static std::string problem;
  try {
    problem = alula::cuda::start(id);
  } catch (const std::exception& error) {
    problem = error.what();
  }
  return problem.empty() ? nullptr : problem.c_str();
}
