#pragma once
#include "alula/backends/cuda/gpu.h"

namespace alula::cuda {

/// A list of calls as a CUDA graph: captured when it first runs, and again when a slot has moved.
class CapturedGraph final : public Executable {
 public:
  CapturedGraph(Gpu& gpu, std::vector<Step> steps);
  ~CapturedGraph() override;
  void run(std::span<void* const> slots) override;

 private:
  cudaGraph_t capture(std::span<void* const> slots);
  void put_on(cudaStream_t stream, std::span<void* const> slots);
  void make_ready(std::span<void* const> slots);
  void release_scratch();

  Gpu& gpu_;
  std::vector<Step> steps_;
  std::vector<void*> slots_;  // those that are captured
  cudaGraphExec_t graph_ = nullptr;
  Gpu::Blocks scratch_;  // what its kernels need on their way
};

}  // namespace alula::cuda
