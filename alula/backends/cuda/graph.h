#pragma once
#include <deque>

#include "alula/backends/cuda/chain.h"
#include "alula/backends/cuda/event.h"
#include "alula/backends/cuda/gpu.h"
#include "alula/backends/cuda/race.h"

namespace alula::cuda {

/// A list of calls as a CUDA graph: captured when it first runs, and again when a slot has moved.
/// The last few captures are kept, since results often alternate between two places. The first runs
/// find out whether it is faster with its small kernels chained, or without.
class CapturedGraph final : public Executable {
 public:
  CapturedGraph(Gpu& gpu, std::vector<Step> steps);
  ~CapturedGraph() override;
  void run(std::span<void* const> slots) override;

 private:
  struct Captured {
    size_t way = 0;  // of `ways_`
    std::vector<void*> slots;
    cudaGraphExec_t graph = nullptr;
    Gpu::Blocks scratch;  // what its kernels need on their way
    uint64_t used = 0;    // when it ran last
  };
  struct Timed {
    size_t way;
    Interval interval;
  };

  cudaGraph_t capture(Captured& captured, std::span<void* const> slots);
  void run_one_by_one(std::span<void* const> slots);
  void put_on(cudaStream_t stream, std::span<void* const> slots);
  Captured& find(size_t way, std::span<void* const> slots);
  void make_ready(Captured& captured, std::span<void* const> slots);
  void release_scratch(Captured& captured);
  void release(Captured& captured);
  void launch(const Captured& captured);
  void read_times();

  Gpu& gpu_;
  std::vector<Step> steps_;
  std::vector<Chaining> ways_ = ways_of_chaining();
  Race race_{ways_.size()};
  std::deque<Timed> timed_;  // runs whose times are not known yet
  std::vector<Captured> captured_;
  uint64_t runs_ = 0;
};

}  // namespace alula::cuda
