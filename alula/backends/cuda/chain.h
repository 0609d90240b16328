#pragma once
#include <span>
#include <string>
#include <vector>

#include "alula/backends/cuda/card.h"
#include "alula/runtime/backend.h"

namespace alula::cuda {

/// Whether the small kernels of a graph are chained.
enum class Chaining : uint8_t { kChained, kApart };
/// Those that are to be tried: both, unless ALULA_CHAINS says `always` or `never`.
std::vector<Chaining> ways_of_chaining();

/// While one lives, small kernels that this thread launches become links of larger ones. Links that
/// need nothing of one another share the blocks of a level; the blocks meet before the next level
/// begins, which costs less than a launch. Compiling a chain takes some tenths of a second the
/// first time, so this is for graphs, which are captured once and run often.
class Chain {
 public:
  /// `steps` are those that will be run, in their order.
  Chain(Card& card, std::span<const Step> steps);
  ~Chain();
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  /// The chain that is being made in this thread for a card, if there is one.
  static Chain* current(const Card& card);

  /// What the kernels from now on, until the next call, read and write. They are run in their own
  /// order; with those of another step only if one needs what the other writes, or writes over what
  /// the other needs.
  void next_step(std::span<const View> reads, std::span<const View> writes, void* queue);
  /// The current step writes this, too: memory that another may have had before it.
  void writes(const void* block, size_t bytes);
  /// Takes a kernel in as a link; false if it cannot be one.
  bool add(const Kernel& kernel, const Grid& grid, void** arguments, void* queue);
  /// Puts the links so far on the queue. What comes next begins another chain.
  void finish(void* queue);

 private:
  struct Range {
    const std::byte *begin, *end;
  };
  struct Memory {  // of a step
    std::vector<Range> reads, writes;
  };
  struct Link {
    const Kernel* kernel;
    Grid grid;
    std::vector<std::byte> arguments;  // each at a multiple of 16 bytes
    size_t step;
    int level;

    unsigned blocks() const { return grid.blocks[0] * grid.blocks[1] * grid.blocks[2]; }
  };
  static bool depends(const Memory& later, const Memory& earlier);
  static KernelSource source_of(std::span<const Link> links);
  unsigned most_blocks() const;
  int next_level(unsigned blocks) const;
  void put(Link& link, void* queue);
  void put(std::span<Link> links, void* queue);

  Card& card_;
  Chain* outer_;
  size_t section_;    // steps after which chains begin anew
  size_t begun_ = 0;  // steps so far
  std::vector<Memory> steps_;
  std::vector<Link> links_;
};

}  // namespace alula::cuda
