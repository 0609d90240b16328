#pragma once
#include <span>
#include <string>
#include <vector>

#include "alula/backends/cuda/card.h"

namespace alula::cuda {

/// While one lives, kernels of one block that follow one another in this thread become one kernel:
/// its only block runs them one after another, with a barrier in between instead of a launch.
/// Compiling a chain takes some tenths of a second the first time, so this is for graphs, which are
/// captured once and run often.
class Chain {
 public:
  explicit Chain(Card& card);
  ~Chain();
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  /// The chain that is being made in this thread for a card, if there is one.
  static Chain* current(const Card& card);

  /// Takes a kernel in as the next link; false if it cannot be one.
  bool add(const Kernel& kernel, const Grid& grid, void** arguments, void* queue);
  /// Puts the links so far on the queue. What comes next begins another chain.
  void finish(void* queue);

 private:
  struct Link {
    const Kernel* kernel;
    Grid grid;
    std::vector<std::byte> arguments;  // each at a multiple of 16 bytes
  };
  static KernelSource source_of(std::span<const Link> links);
  void put(Link& link, void* queue);
  void put(std::span<Link> links, void* queue);

  Card& card_;
  Chain* outer_;
  std::vector<Link> links_;
};

}  // namespace alula::cuda
