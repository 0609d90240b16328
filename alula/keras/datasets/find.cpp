#include "alula/keras/datasets/find.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <system_error>

#include "alula/core/error.h"

namespace alula::keras::datasets {
namespace {

/// Where `cmake --install` puts data sets, seen from the library itself.
std::string installed_folder() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&data_folders), &info) == 0) return {};
  std::error_code error;
  const auto library = std::filesystem::canonical(info.dli_fname, error);
  if (error) return {};
  return (library.parent_path() / ALULA_INSTALLED_DATA).lexically_normal().string();
}

}  // namespace

std::vector<std::string> data_folders() {
  std::vector<std::string> folders;
  const char* named = std::getenv("ALULA_DATA");
  if (named != nullptr && *named != '\0') folders.emplace_back(named);
  if (*ALULA_SOURCE_DATA != '\0') folders.emplace_back(ALULA_SOURCE_DATA);
  if (std::string installed = installed_folder(); !installed.empty())
    folders.push_back(std::move(installed));
  return folders;
}

std::string find_dataset(const std::string& name) {
  std::string looked_at;
  for (const std::string& folder : data_folders()) {
    const auto path = std::filesystem::path(folder) / name;
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return path.string();
    looked_at += (looked_at.empty() ? "" : ", ") + path.string();
  }
  fail<NotFoundError>(
      "{0}.load_data: the data set is not there. Looked for {1}. Set ALULA_DATA to the folder that "
      "holds {0}.",
      name, looked_at);
}

}  // namespace alula::keras::datasets
