#include "alula/backends/cuda/nvrtc.h"

#include <algorithm>
#include <memory>
#include <nvrtc.h>

#include "alula/backends/cuda/disk_cache.h"
#include "alula/core/error.h"

namespace alula::cuda {
namespace {

void check(nvrtcResult code, const char* call) {
  require<InternalError>(code == NVRTC_SUCCESS, "GPU: {} failed: {}.", call,
                         nvrtcGetErrorString(code));
}

struct DestroyProgram {
  void operator()(nvrtcProgram program) const { nvrtcDestroyProgram(&program); }
};
using Program = std::unique_ptr<std::remove_pointer_t<nvrtcProgram>, DestroyProgram>;

Program make_program(const std::string& source) {
  nvrtcProgram program = nullptr;
  check(nvrtcCreateProgram(&program, source.c_str(), "alula.cu", 0, nullptr, nullptr),
        "nvrtcCreateProgram");
  return Program(program);
}

std::string log_of(nvrtcProgram program) {
  size_t size = 0;
  if (nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS) return "";
  std::string log(size, '\0');
  nvrtcGetProgramLog(program, log.data());
  return log.c_str();
}

}  // namespace

std::vector<int> supported_architectures() {
  int count = 0;
  check(nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> architectures(count);
  check(nvrtcGetSupportedArchs(architectures.data()), "nvrtcGetSupportedArchs");
  return architectures;
}

Image compile(const std::string& source, int architecture, const std::string& function) {
  const std::vector<int> known = supported_architectures();
  const bool exact = std::find(known.begin(), known.end(), architecture) != known.end();
  // PTX for the newest one that is not newer than the GPU: the driver does the rest.
  const auto above = std::upper_bound(known.begin(), known.end(), architecture);
  require<InternalError>(above != known.begin(),
                         "GPU: its compute capability {}.{} is older than NVRTC compiles for.",
                         architecture / 10, architecture % 10);
  const std::string target = exact ? fmt::format("--gpu-architecture=sm_{}", architecture)
                                   : fmt::format("--gpu-architecture=compute_{}", *(above - 1));
  // Without contraction a program gives the same numbers as its instructions one by one: on the
  // CPU, and on the GPU before and after fusion. Elementwise kernels wait for memory, so it costs
  // nothing. Denormals are flushed to zero, as on the CPU.
  const char* options[] = {target.c_str(), "--std=c++17", "--fmad=false", "--ftz=true",
                           "--disable-warnings"};
  const Program program = make_program(source);
  check(nvrtcAddNameExpression(program.get(), function.c_str()), "nvrtcAddNameExpression");
  const nvrtcResult result = nvrtcCompileProgram(program.get(), std::size(options), options);
  require<InternalError>(result == NVRTC_SUCCESS, "GPU: a kernel does not compile: {}\n{}",
                         nvrtcGetErrorString(result), log_of(program.get()));
  const char* name = nullptr;
  check(nvrtcGetLoweredName(program.get(), function.c_str(), &name), "nvrtcGetLoweredName");
  size_t size = 0;
  check(exact ? nvrtcGetCUBINSize(program.get(), &size) : nvrtcGetPTXSize(program.get(), &size),
        "nvrtcGetCUBINSize");
  Image image{.code = std::string(size, '\0'), .function = name};
  check(exact ? nvrtcGetCUBIN(program.get(), image.code.data())
              : nvrtcGetPTX(program.get(), image.code.data()),
        "nvrtcGetCUBIN");
  return image;
}

Image compile_cached(const std::string& source, int architecture, const std::string& function) {
  int major = 0, minor = 0;
  check(nvrtcVersion(&major, &minor), "nvrtcVersion");
  const std::string key =
      fmt::format("NVRTC {}.{}, sm_{}, {}\n{}", major, minor, architecture, function, source);
  if (std::optional<std::string> kept = disk_cache::read(key)) {
    const size_t end = kept->find('\n');
    if (end != std::string::npos)
      return {.code = kept->substr(end + 1), .function = kept->substr(0, end)};
  }
  Image image = compile(source, architecture, function);
  disk_cache::write(key, image.function + "\n" + image.code);
  return image;
}

}  // namespace alula::cuda
