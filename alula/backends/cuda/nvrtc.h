#pragma once
#include <string>
#include <vector>

/// NVRTC: CUDA C++ compiled at run time.
namespace alula::cuda {

/// The architectures that this NVRTC compiles for, ascending: 75, 80, 86, 90, …
std::vector<int> supported_architectures();

/// What a source became.
struct Image {
  std::string code;      // machine code, or PTX: what cuModuleLoadData takes
  std::string function;  // the name that the kernel has in it
};

/// Compiles a source for a GPU of that architecture (90: compute capability 9.0), to machine code,
/// or to PTX for a GPU newer than this NVRTC. `function` is an expression that names the kernel:
/// "kernel", "fill<float>". A source that does not compile is an InternalError with the compiler's
/// words.
Image compile(const std::string& source, int architecture, const std::string& function = "kernel");

/// The same, from the cache on disk if it is there.
Image compile_cached(const std::string& source, int architecture, const std::string& function);

}  // namespace alula::cuda
