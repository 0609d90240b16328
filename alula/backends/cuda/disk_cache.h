#pragma once
#include <optional>
#include <string>
#include <string_view>

/// Compiled kernels on disk, from one process to the next: under $ALULA_CACHE_DIR, else in the
/// user's cache folder ($XDG_CACHE_HOME or ~/.cache)/alula. Processes may use it at the same time.
namespace alula::cuda::disk_cache {

/// What was written under a key, all that it was made from: its source, the compiler's version and
/// the architecture. None if there is nothing, or if it is damaged.
std::optional<std::string> read(std::string_view key);

/// Keeps `content` under a key. A folder that cannot be written is no error: nothing is kept then.
void write(std::string_view key, std::string_view content) noexcept;

}  // namespace alula::cuda::disk_cache
