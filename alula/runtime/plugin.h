#pragma once
#include <string>

/// Loading the GPU's backend, libalula_cuda.so, where there is a GPU.
namespace alula::plugin {

/// Loads the plugin if that has not been tried yet. Returns whether GPUs can be used.
bool load_once();

/// Why they cannot, in a few words for a warning.
std::string reason();

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
