#pragma once
#include "alula/backends/cuda/gpu.h"

namespace alula::cuda {

/// A list of calls as a CUDA graph: captured when it first runs, and again when a slot has moved.
/// The last few captures are kept, since results often alternate between two places.
class CapturedGraph final : public Executable {
 public:
  CapturedGraph(Gpu& gpu, std::vector<Step> steps);
  ~CapturedGraph() override;
  void run(std::span<void* const> slots) override;

 private:
  struct Captured {
    std::vector<void*> slots;
    cudaGraphExec_t graph = nullptr;
    Gpu::Blocks scratch;  // what its kernels need on their way
    uint64_t used = 0;    // when it ran last
  };

  cudaGraph_t capture(std::span<void* const> slots, Gpu::Blocks& scratch);
  void run_one_by_one(std::span<void* const> slots);
  void put_on(cudaStream_t stream, std::span<void* const> slots);
  Captured& find(std::span<void* const> slots);
  void make_ready(Captured& captured, std::span<void* const> slots);
  void release_scratch(Captured& captured);

  Gpu& gpu_;
  std::vector<Step> steps_;
  std::vector<Captured> captured_;
  uint64_t runs_ = 0;
};

}  // namespace alula::cuda
