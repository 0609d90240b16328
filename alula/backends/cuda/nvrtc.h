#pragma once
#include <string>
#include <vector>

/// NVRTC: CUDA C++ compiled at run time.
namespace alula::cuda {

/// The architectures that this NVRTC compiles for, ascending: 75, 80, 86, 90, …
std::vector<int> supported_architectures();

/// Compiles a source for a GPU of that architecture (90: compute capability 9.0), to what
/// cuModuleLoadData takes: machine code, or PTX for a GPU newer than this NVRTC. A source that does
/// not compile is an InternalError with the compiler's words.
std::string compile(const std::string& source, int architecture);

}  // namespace alula::cuda
