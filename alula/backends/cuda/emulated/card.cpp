#include "alula/backends/cuda/emulated/card.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <sys/mman.h>

#include "alula/backends/cuda/disk_cache.h"
#include "alula/backends/cuda/emulated/run.h"
#include "alula/backends/cuda/nvrtc.h"
#include "alula/core/memory.h"

namespace alula::cuda::emulated {
namespace {

// In a library that AddressSanitizer watches, it watches the kernels, too: what they read and write
// beyond a block of memory, or an array in shared memory, ends the program.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::string_view kChecks = "-fsanitize=address -g1";
#else
constexpr std::string_view kChecks = "";
#endif

std::string host_source(const KernelSource& source) {
  return "#define ALULA_ON_HOST\n#include \"alula/backends/cuda/emulated/threads.h\"\n" +
         source.text() +
         fmt::format(R"(
static inline float to_float(Half x) {{ return alula::internal::half_to_float(x.bits); }}
static inline void from_float(float x, Half& to) {{ to.bits = alula::internal::float_to_half(x); }}
extern "C" void alula_thread(alula::cuda::emulated::Engine& with, void** arguments) {{
  engine = &with;
  call_thread(&{0}, arguments);
}}
extern "C" const unsigned* alula_sizes(unsigned* count) {{ return sizes_of(&{0}, count); }}
)",
                     source.function);
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A library of a source, as bytes.
std::string compiled(const std::string& source) {
  const std::string key =
      fmt::format("{} {} {}\n{}{}", ALULA_CXX_COMPILER, __VERSION__, kChecks, source,
                  file_text(ALULA_SOURCE_DIR "/alula/backends/cuda/emulated/threads.h"));
  if (std::optional<std::string> kept = disk_cache::read(key)) return *std::move(kept);
  std::string folder = (std::filesystem::temp_directory_path() / "alula-emulated-XXXXXX").string();
  require<InternalError>(mkdtemp(folder.data()) != nullptr, "GPU: cannot make a folder {}.",
                         folder);
  std::ofstream(folder + "/kernel.cpp") << source;
  // Shared memory is static variables: without -fno-gnu-unique, kernels whose templates have the
  // same name would share them, whatever their size.
  const std::string command = fmt::format(
      "{} -std=c++20 -O1 -w -ffp-contract=off -fno-gnu-unique {} -shared -fPIC -I{} {}/kernel.cpp "
      "-o "
      "{}/kernel.so",
      ALULA_CXX_COMPILER, kChecks, ALULA_SOURCE_DIR, folder, folder);
  const bool done = std::system(command.c_str()) == 0;
  std::string library = done ? file_text(folder + "/kernel.so") : "";
  if (std::getenv("ALULA_EMULATED_KEEP") == nullptr) std::filesystem::remove_all(folder);
  require<InternalError>(done, "GPU: a kernel does not compile as C++.");
  disk_cache::write(key, library);
  return library;
}

void* open_library(const std::string& bytes) {
  const int file = memfd_create("alula-kernel", 0);
  require<InternalError>(file >= 0, "GPU: memfd_create failed.");
  const bool whole =
      ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  void* library = whole
                      ? dlopen(fmt::format("/proc/self/fd/{}", file).c_str(), RTLD_NOW | RTLD_LOCAL)
                      : nullptr;
  // The descriptor stays open: another library under the same name would be taken for this one.
  require<InternalError>(library != nullptr, "GPU: a kernel does not load: {}", dlerror());
  return library;
}

void put(void* queue, std::function<void()> work) {
  if (queue == nullptr)
    work();
  else
    static_cast<Recording*>(queue)->push_back(std::move(work));
}

}  // namespace

Kernel EmulatedCard::load(const KernelSource& source) {
  if (const char* architecture = std::getenv("ALULA_EMULATED_NVRTC"))
    compile_cached(source.text(), std::atoi(architecture), source.function);
  void* library = open_library(compiled(host_source(source)));
  const auto sizes =
      reinterpret_cast<const unsigned* (*)(unsigned*)>(dlsym(library, "alula_sizes"));
  unsigned count = 0;
  const unsigned* first = sizes(&count);
  return {source, dlsym(library, "alula_thread"), {first, first + count}};
}

void EmulatedCard::put_kernel(const Kernel& kernel, const Grid& grid, void** arguments,
                              void* queue) {
  const auto thread = reinterpret_cast<ThreadFunction>(const_cast<void*>(kernel.function));
  require<InternalError>(grid.shared_bytes <= most_shared_bytes() &&
                             grid.threads[0] * grid.threads[1] * grid.threads[2] <= 1024,
                         "GPU: a block is too large.");
  if (queue == nullptr) return run_grid(thread, grid, arguments);
  std::vector<std::vector<std::byte>> copies;
  for (size_t i = 0; i < kernel.sizes.size(); ++i) {
    const auto* from = static_cast<const std::byte*>(arguments[i]);
    copies.emplace_back(from, from + kernel.sizes[i]);
  }
  put(queue, [thread, grid, copies = std::move(copies)]() mutable {
    std::vector<void*> pointers;
    for (auto& copy : copies) pointers.push_back(copy.data());
    run_grid(thread, grid, pointers.data());
  });
}

void EmulatedCard::put_clear(void* at, size_t bytes, void* queue) {
  put(queue, [=] { std::memset(at, 0, bytes); });
}

void EmulatedCard::put_copy(void* to, const void* from, size_t bytes, void* queue) {
  put(queue, [=] { std::memcpy(to, from, bytes); });
}

void* EmulatedCard::take_scratch(size_t bytes) {
  void* block = memory::allocate(bytes);
  std::memset(block, 0xFF, bytes);  // NaN: what a kernel reads, it must have written
  return block;
}

void EmulatedCard::release_scratch(void* block, size_t bytes) noexcept {
  if (kept_scratch != nullptr)
    kept_scratch->emplace_back(block, bytes);
  else
    memory::release(block, bytes);
}

}  // namespace alula::cuda::emulated
