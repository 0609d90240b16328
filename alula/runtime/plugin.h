#pragma once
#include <filesystem>
#include <string>

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

/// The plugin's only entry, `alula_plugin`: adds its devices, or returns why it cannot. The answer
/// stays the plugin's.
using Entry = const char* (*)(BuildId);

}  // namespace alula::plugin
