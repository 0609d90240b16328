#include "alula/runtime/plugin.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "alula/runtime/backend.h"

namespace alula::plugin {
namespace {

std::string g_reason;

/// Where the plugin lies: beside this library, unless ALULA_PLUGIN names a file.
std::filesystem::path path() {
  if (const char* named = std::getenv("ALULA_PLUGIN")) return named;
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&build_id), &info) == 0) return "libalula_cuda.so";
  return std::filesystem::path(info.dli_fname).parent_path() / "libalula_cuda.so";
}

bool load() {
  // The driver first: where there is none, nothing else needs to be opened.
  if (void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL); driver != nullptr) {
    dlclose(driver);
  } else {
    g_reason = "no NVIDIA driver is installed";
    return false;
  }
  const std::filesystem::path file = path();
  if (!std::filesystem::exists(file)) {
    g_reason = "the GPU plugin " + file.filename().string() + " is missing beside the library";
    return false;
  }
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    g_reason = std::string("the GPU plugin does not load (") + dlerror() + ")";
    return false;
  }
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "alula_plugin"));
  if (entry == nullptr) {
    g_reason = file.string() + " is not an Alula plugin";
    return false;
  }
  if (const char* problem = entry(build_id())) {
    g_reason = problem;
    return false;
  }
  return true;
}

}  // namespace

bool load_once() {
  static const bool loaded = load();
  return loaded;
}

std::string reason() {
  load_once();
  return g_reason;
}

BuildId build_id() { return {kBackendVersion, ALULA_VERSION " " __VERSION__}; }

}  // namespace alula::plugin
