#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "alula/backends/cuda/card.h"

namespace alula::cuda::emulated {

/// What was put on a queue while a graph was captured: done when the graph runs.
using Recording = std::vector<std::function<void()>>;

/// The host as a card. Kernels are compiled by the host's compiler and run thread by thread; where
/// NVRTC is asked for as well (ALULA_EMULATED_NVRTC names an architecture), it must compile them,
/// too. A queue is a Recording, or null: then work is done at once.
class EmulatedCard final : public Card {
 public:
  int multiprocessors() const override { return 2; }
  int architecture() const override { return 90; }
  size_t most_shared_bytes() const override { return 227 << 10; }
  size_t most_argument_bytes() const override { return 32764; }
  unsigned most_together(const Kernel&, unsigned, size_t) const override { return 1; }
  unsigned* meeting_word() override { return nullptr; }  // one block meets nobody
  void* take_scratch(size_t bytes) override;
  void release_scratch(void* block, size_t bytes) noexcept override;

  /// While a graph is captured, what kernels let go of is kept here.
  std::vector<std::pair<void*, size_t>>* kept_scratch = nullptr;

 private:
  Kernel load(const KernelSource& source) override;
  void put_kernel(const Kernel& kernel, const Grid& grid, void** arguments, void* queue) override;
  void put_clear(void* at, size_t bytes, void* queue) override;
  void put_copy(void* to, const void* from, size_t bytes, void* queue) override;
};

}  // namespace alula::cuda::emulated
