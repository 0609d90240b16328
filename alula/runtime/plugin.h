#pragma once
#include <cstring>
#include <filesystem>
#include <string>

#include <fmt/format.h>

/// Loading the GPU's backend, libalula_cuda.so, where there is a GPU.
namespace alula::plugin {

/// Loads the plugin if that has not been tried yet. Returns whether GPUs can be used.
bool load_once();

/// Why they cannot, in a few words for a warning.
std::string reason();

/// Where the plugin lies: beside this library, unless ALULA_PLUGIN names a file.
std::filesystem::path file();

/// Loads one file as the plugin. Returns why it cannot be used, or nothing.
std::string load(const std::filesystem::path& file);

/// What a plugin is compared with before it is used.
struct BuildId {
  int backend_version;
  const char* text;  // version and compiler of the library
};
BuildId build_id();

/// Why a plugin built as `own` cannot serve a library built as `library`, or nothing. Inline, since
/// the plugin must not depend on what it looks at.
inline std::string problem_with_build(const BuildId& own, const BuildId& library) {
  if (library.backend_version == own.backend_version && std::strcmp(library.text, own.text) == 0)
    return "";
  return fmt::format(
      "the GPU plugin was built for another Alula (plugin: {}, contract {}; library: {}, contract "
      "{})",
      own.text, own.backend_version, library.text, library.backend_version);
}

/// The plugin's only entry, `alula_plugin`: adds its devices, or returns why it cannot. The answer
/// stays the plugin's.
using Entry = const char* (*)(BuildId);

}  // namespace alula::plugin
