#pragma once
#include <optional>

#include "alula/backends/cuda/chain.h"
#include "alula/backends/cuda/emulated/backend.h"
#include "alula/backends/cuda/race.h"

namespace alula::cuda::emulated {

/// A captured list of calls: what a kernel reads on the host while it is captured stays as it was
/// then, as on a GPU. The first runs are with and without chains, in turn.
class EmulatedGraph final : public Executable {
 public:
  EmulatedGraph(EmulatedBackend& backend, std::vector<Step> steps)
      : backend_(backend), card_(backend.card()), steps_(std::move(steps)) {}
  ~EmulatedGraph() override { release(); }
  void run(std::span<void* const> slots) override;

 private:
  void capture(size_t way, std::span<void* const> slots);
  void put(const Step& step, std::span<void* const> slots);
  void release();

  EmulatedBackend& backend_;
  EmulatedCard& card_;
  std::vector<Step> steps_;
  std::vector<Chaining> ways_ = ways_of_chaining();
  Race race_{ways_.size()};
  std::vector<void*> slots_;
  std::optional<size_t> captured_;  // the way
  Recording recording_;
  std::vector<std::pair<void*, size_t>> scratch_;
};

}  // namespace alula::cuda::emulated
