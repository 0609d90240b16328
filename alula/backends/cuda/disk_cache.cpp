#include "alula/backends/cuda/disk_cache.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "alula/core/log.h"

namespace alula::cuda::disk_cache {
namespace {

constexpr std::string_view kMagic = "alula-kernel-1\n";

/// FNV-1a with 128 bits.
std::string hash_of(std::string_view text) {
  using Word = unsigned __int128;
  constexpr Word kPrime = (Word{1} << 88) + 0x13b;
  Word hash = (Word{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return fmt::format("{:016x}{:016x}", static_cast<uint64_t>(hash >> 64),
                     static_cast<uint64_t>(hash));
}

/// The folder, or nothing where there is no place for one.
std::filesystem::path folder() {
  if (const char* named = std::getenv("ALULA_CACHE_DIR"))
    return std::filesystem::path(named) / "kernels";
  if (const char* named = std::getenv("XDG_CACHE_HOME"); named != nullptr && *named != '\0')
    return std::filesystem::path(named) / "alula/kernels";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::filesystem::path(home) / ".cache/alula/kernels";
  return {};
}

}  // namespace

std::optional<std::string> read(std::string_view key) {
  const std::filesystem::path at = folder();
  if (at.empty()) return std::nullopt;
  std::ifstream file(at / hash_of(key), std::ios::binary);
  if (!file) return std::nullopt;
  std::string text((std::istreambuf_iterator<char>(file)), {});
  // The magic, the content's hash, a line's end, the content.
  constexpr size_t kHash = 32, kHead = kMagic.size() + kHash + 1;
  if (text.size() < kHead || !text.starts_with(kMagic)) return std::nullopt;
  std::string content = text.substr(kHead);
  if (text.compare(kMagic.size(), kHash, hash_of(content)) != 0) {
    logging::info("GPU: a damaged entry of the kernels' cache is made anew.");
    return std::nullopt;
  }
  return content;
}

void write(std::string_view key, std::string_view content) noexcept {
  try {
    const std::filesystem::path at = folder();
    if (at.empty()) return;
    std::filesystem::create_directories(at);
    const std::string name = hash_of(key);
    // Under a name of its own first: others see the whole of it or nothing.
    const std::filesystem::path own = at / fmt::format("{}.{}", name, getpid());
    std::ofstream file(own, std::ios::binary);
    file << kMagic << hash_of(content) << '\n' << content;
    file.close();
    std::error_code ignored;
    if (file)
      std::filesystem::rename(own, at / name, ignored);
    else
      std::filesystem::remove(own, ignored);
  } catch (const std::exception& error) {
    logging::info("GPU: compiled kernels cannot be kept on disk ({}).", error.what());
  }
}

}  // namespace alula::cuda::disk_cache
