#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "alula/runtime/op.h"

/// What kernels see of the card that they run on. It is a GPU, or the host made to look like one
/// (emulated/): kernels are the same for both.
namespace alula::cuda {

/// Names of files of device/, in the order that they build on one another: "reduce softmax".
struct FileNames : std::string {
  FileNames(const char* names = "") : std::string(names) {}
  FileNames(std::string_view names) : std::string(names) {}
  FileNames(std::string names) : std::string(std::move(names)) {}
};

/// A kernel by what it is compiled from: the prelude, the files of device/ that it needs, source of
/// its own (a scalar program, say), and then `function`, an expression that names a __global__
/// function: "reduce_rows<float, Sum, 4>".
struct KernelSource {
  FileNames files;
  std::string function;
  std::string own;
  bool chained = false;  // whether the kernels in it are links of a chain

  /// All but the name of the function.
  std::string text() const;
};

/// The blocks of a launch, and the threads of a block.
struct Grid {
  std::array<unsigned, 3> blocks{1, 1, 1};
  std::array<unsigned, 3> threads{256, 1, 1};
  size_t shared_bytes = 0;  // beside what the kernel itself declares
  bool chains = true;       // whether it may be a link of a chain
  bool together = false;    // whether blocks wait for one another: all must run at once
};

/// Shared memory that the links of a chain have for what kernels declare by SHARED.
constexpr size_t kChainRoom = 40 << 10;

/// What has been compiled and loaded for a card.
struct Kernel {
  KernelSource source;
  const void* function = nullptr;    // the card's own
  std::vector<unsigned> sizes = {};  // of the arguments, in bytes; none: they are not known
  size_t shared_bytes = 0;           // that it declares itself, beside what a launch gives it
};
using LoadedKernel = const Kernel*;

class Chain;

class Card {
 public:
  virtual ~Card() = default;
  virtual int multiprocessors() const = 0;
  virtual int architecture() const = 0;  // 90: compute capability 9.0
  /// The most shared memory that a block can have.
  virtual size_t most_shared_bytes() const = 0;
  /// The most bytes of arguments that a kernel can have.
  virtual size_t most_argument_bytes() const = 0;
  /// The most blocks of a kernel that run at once, so that they can wait for one another.
  virtual unsigned most_together(const Kernel& kernel, unsigned threads,
                                 size_t shared_bytes) const = 0;
  /// A word of the card's memory for that, zero at first.
  virtual unsigned* meeting_word() = 0;

  /// The kernel, compiled and loaded the first time; from then on found by its text.
  LoadedKernel find(const KernelSource& source);
  /// Puts a kernel on the queue; where kernels are chained, as a link if it is one.
  void launch(LoadedKernel kernel, const Grid& grid, void** arguments, void* queue);
  /// Sets bytes to zero.
  void clear(void* at, size_t bytes, void* queue);
  void copy(void* to, const void* from, size_t bytes, void* queue);

  /// Memory for the work that is put on the queue until it is released; see Scratch.
  virtual void* take_scratch(size_t bytes) = 0;
  virtual void release_scratch(void* block, size_t bytes) noexcept = 0;

 protected:
  virtual Kernel load(const KernelSource& source) = 0;
  virtual void put_kernel(const Kernel& kernel, const Grid& grid, void** arguments,
                          void* queue) = 0;
  virtual void put_clear(void* at, size_t bytes, void* queue) = 0;
  virtual void put_copy(void* to, const void* from, size_t bytes, void* queue) = 0;

 private:
  friend class Chain;
  std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<const Kernel>> loaded_;
};

/// The card whose kernel is being called in this thread.
Card& current_card();

/// Makes a card current for as long as it lives.
class CurrentCard {
 public:
  explicit CurrentCard(Card& card);
  ~CurrentCard();
  CurrentCard(const CurrentCard&) = delete;
  CurrentCard& operator=(const CurrentCard&) = delete;

 private:
  Card* before_;
};

/// Memory that a kernel needs on its way. It may be let go of as soon as the work that uses it is
/// on the queue; a captured graph keeps what was taken while it was captured.
class Scratch {
 public:
  explicit Scratch(size_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* data() const { return block_; }  // null if of no bytes
  size_t bytes() const { return bytes_; }

 private:
  Card& card_;
  size_t bytes_;
  void* block_;
};

/// Launches a kernel on the queue of a call. The arguments are given just as the kernel's function
/// takes them: same types, same order.
///   launch(call, {"fill", "fill<float>"}, grid_for(count), data, count, 1.0f);
template <class... Arguments>
void launch(const KernelCall& call, const KernelSource& source, const Grid& grid,
            Arguments... arguments) {
  void* pointers[] = {&arguments..., nullptr};
  Card& card = current_card();
  card.launch(card.find(source), grid, pointers, call.queue);
}

/// Threads in a block, unless a kernel needs another number.
inline constexpr int kBlockThreads = 256;

/// Blocks enough for so many threads, but no more than fill the card a few times over: a thread
/// goes on with what is left, `stride<Index>()` further.
Grid grid_for(int64_t threads);

/// How a dtype is called in device code: "float", "Half", "long long".
std::string_view type_name(DType dtype);
/// A type of the same size, for kernels that only move elements: "unsigned int".
std::string_view bits_name(DType dtype);

/// The text of a file of device/: "prelude", "reduce".
std::string_view device_source(std::string_view name);
std::vector<std::string_view> device_source_names();

}  // namespace alula::cuda
