#include "alula/runtime/plugin.h"

#include <cstdlib>
#include <dlfcn.h>
#include <system_error>

#include "alula/runtime/backend.h"

namespace alula::plugin {
namespace {

bool has_driver() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver != nullptr) dlclose(driver);
  return driver != nullptr;
}

/// Loads the plugin once; why that failed, or nothing.
const std::string& outcome() {
  // The driver first: where there is none, nothing else needs to be opened, unless it was named.
  static const std::string problem = std::getenv("ALULA_PLUGIN") != nullptr || has_driver()
                                         ? load(file())
                                         : "no NVIDIA driver is installed";
  return problem;
}

}  // namespace

std::filesystem::path file() {
  if (const char* named = std::getenv("ALULA_PLUGIN")) return named;
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&build_id), &info) == 0) return "libalula_cuda.so";
  return std::filesystem::path(info.dli_fname).parent_path() / "libalula_cuda.so";
}

std::string load(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored))
    return fmt::format("the GPU plugin {} is missing", file.string());
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return fmt::format("the GPU plugin does not load ({})", dlerror());
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "alula_plugin"));
  if (entry == nullptr) {
    dlclose(library);
    return fmt::format("{} is not an Alula plugin", file.string());
  }
  // A plugin that refuses stays loaded, because its answer and perhaps its threads are there.
  const char* problem = entry(build_id());
  return problem == nullptr ? "" : problem;
}

bool load_once() { return outcome().empty(); }

std::string reason() { return outcome(); }

BuildId build_id() { return {kBackendVersion, ALULA_VERSION " " __VERSION__}; }

}  // namespace alula::plugin
