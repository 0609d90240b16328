#include "alula/backends/cuda/graph.h"

#include <algorithm>

#include "alula/backends/cuda/kernels.h"

namespace alula::cuda {
namespace {

using Views = InlineVector<View, 4>;

Views bind(const std::vector<Operand>& operands, std::span<void* const> slots) {
  Views views;
  for (const Operand& operand : operands)
    views.push_back({&operand.spec, static_cast<std::byte*>(slots[operand.slot]) + operand.offset});
  return views;
}

void require_kernel(const Step& step) {
  InlineVector<const Spec*, 4> specs;
  for (const Operand& input : step.inputs) specs.push_back(&input.spec);
  const SpecRefs inputs(std::span<const Spec* const>(specs.data(), specs.size()));
  require<UnimplementedError>(
      step.op->type().kernel(DeviceType::kGPU) != nullptr && takes(step.op->type(), inputs),
      "{}: there is no kernel for it on the GPU. Got {}.", step.op->name(), inputs);
}

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
};
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;

}  // namespace

CapturedGraph::CapturedGraph(Gpu& gpu, std::vector<Step> steps)
    : gpu_(gpu), steps_(std::move(steps)) {
  for (const Step& step : steps_) require_kernel(step);
}

CapturedGraph::~CapturedGraph() {
  release_scratch();
  if (graph_ == nullptr) return;
  cudaSetDevice(gpu_.info().ordinal);
  cudaStreamSynchronize(gpu_.stream());  // it may still be running
  cudaGraphExecDestroy(graph_);
}

/// What is put on the stream from now on comes after the graph's last run.
void CapturedGraph::release_scratch() {
  for (const Gpu::Block& block : scratch_) gpu_.memory().release(block.data, block.bytes);
  scratch_.clear();
}

void CapturedGraph::run(std::span<void* const> slots) {
  if (steps_.empty()) return;
  check(cudaSetDevice(gpu_.info().ordinal), "cudaSetDevice");
  if (graph_ == nullptr || !std::equal(slots.begin(), slots.end(), slots_.begin(), slots_.end()))
    make_ready(slots);
  check(cudaGraphLaunch(graph_, gpu_.stream()), "cudaGraphLaunch");
}

void CapturedGraph::put_on(cudaStream_t stream, std::span<void* const> slots) {
  const CurrentCard current(gpu_);
  for (const Step& step : steps_) {
    const Views inputs = bind(step.inputs, slots), outputs = bind(step.outputs, slots);
    step.op->type().kernel(DeviceType::kGPU)(
        *step.op, {.inputs = inputs, .outputs = outputs, .queue = stream});
  }
}

/// Relaxed, so that a kernel may be compiled and loaded on the way.
cudaGraph_t CapturedGraph::capture(std::span<void* const> slots) {
  const std::lock_guard lock(gpu_.capture_mutex());
  cudaStream_t stream = gpu_.capture_stream();
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  release_scratch();
  gpu_.keep_scratch_in(&scratch_);
  try {
    put_on(stream, slots);
    gpu_.keep_scratch_in(nullptr);
  } catch (...) {
    gpu_.keep_scratch_in(nullptr);
    cudaStreamEndCapture(stream, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaGetLastError();
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  return graph;
}

/// Moved slots only change the arguments of nodes, so the graph that there is takes them over,
/// unless a kernel is another one now (an address may be aligned less).
void CapturedGraph::make_ready(std::span<void* const> slots) {
  slots_.clear();
  const Graph captured(capture(slots));
  if (graph_ != nullptr) {
    cudaGraphExecUpdateResultInfo result;
    if (cudaGraphExecUpdate(graph_, captured.get(), &result) != cudaSuccess) {
      cudaGetLastError();
      cudaStreamSynchronize(gpu_.stream());
      cudaGraphExecDestroy(std::exchange(graph_, nullptr));
    }
  }
  if (graph_ == nullptr)
    check(cudaGraphInstantiate(&graph_, captured.get(), 0), "cudaGraphInstantiate");
  slots_.assign(slots.begin(), slots.end());
}

}  // namespace alula::cuda
