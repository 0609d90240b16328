#include "alula/backends/cuda/graph.h"

#include <algorithm>

#include "alula/backends/cuda/bind.h"
#include "alula/backends/cuda/chain.h"
#include "alula/backends/cuda/faults.h"
#include "alula/backends/cuda/kernels.h"

namespace alula::cuda {
namespace {

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
  cudaSetDevice(gpu_.info().ordinal);
  cudaStreamSynchronize(gpu_.stream());  // it may still be running
  for (Captured& captured : captured_) {
    release_scratch(captured);
    if (captured.graph != nullptr) cudaGraphExecDestroy(captured.graph);
  }
}

/// What is put on the stream from now on comes after the graph's last run.
void CapturedGraph::release_scratch(Captured& captured) {
  for (const Gpu::Block& block : captured.scratch) gpu_.memory().release(block.data, block.bytes);
  captured.scratch.clear();
}

void CapturedGraph::run(std::span<void* const> slots) {
  if (steps_.empty()) return;
  check(cudaSetDevice(gpu_.info().ordinal), "cudaSetDevice");
  if (config::get_synchronous_execution()) return run_one_by_one(slots);
  Captured& captured = find(slots);
  captured.used = ++runs_;
  check(cudaGraphLaunch(captured.graph, gpu_.stream()), "cudaGraphLaunch");
}

/// Without a graph, so that an error names the op that it comes from.
void CapturedGraph::run_one_by_one(std::span<void* const> slots) {
  const CurrentCard current(gpu_);
  cudaStream_t stream = gpu_.stream();
  for (const Step& step : steps_) {
    const Views inputs = bind(step.inputs, slots), outputs = bind(step.outputs, slots);
    run_op(
        *step.op, inputs,
        [&] {
          step.op->type().kernel(DeviceType::kGPU)(
              *step.op, {.inputs = inputs, .outputs = outputs, .queue = stream});
        },
        [&] { check(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); });
  }
}

/// The capture with these slots; if there is none, that which was not used for longest is changed.
CapturedGraph::Captured& CapturedGraph::find(std::span<void* const> slots) {
  constexpr size_t kMost = 4;
  for (Captured& captured : captured_)
    if (std::equal(slots.begin(), slots.end(), captured.slots.begin(), captured.slots.end()))
      return captured;
  if (captured_.size() < kMost) captured_.emplace_back();
  Captured& oldest =
      *std::min_element(captured_.begin(), captured_.end(),
                        [](const Captured& a, const Captured& b) { return a.used < b.used; });
  make_ready(oldest, slots);
  return oldest;
}

void CapturedGraph::put_on(cudaStream_t stream, std::span<void* const> slots) {
  const CurrentCard current(gpu_);
  Chain chain(gpu_, steps_);
  for (const Step& step : steps_) {
    const Views inputs = bind(step.inputs, slots), outputs = bind(step.outputs, slots);
    chain.next_step(inputs, outputs, stream);
    step.op->type().kernel(DeviceType::kGPU)(
        *step.op, {.inputs = inputs, .outputs = outputs, .queue = stream});
  }
  chain.finish(stream);
}

/// Relaxed, so that a kernel may be compiled and loaded on the way.
cudaGraph_t CapturedGraph::capture(std::span<void* const> slots, Gpu::Blocks& scratch) {
  const std::lock_guard lock(gpu_.capture_mutex());
  cudaStream_t stream = gpu_.capture_stream();
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  gpu_.keep_scratch_in(&scratch);
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
void CapturedGraph::make_ready(Captured& captured, std::span<void* const> slots) {
  captured.slots.clear();
  release_scratch(captured);
  const Graph made(capture(slots, captured.scratch));
  if (captured.graph != nullptr) {
    cudaGraphExecUpdateResultInfo result;
    if (cudaGraphExecUpdate(captured.graph, made.get(), &result) != cudaSuccess) {
      cudaGetLastError();
      cudaStreamSynchronize(gpu_.stream());
      cudaGraphExecDestroy(std::exchange(captured.graph, nullptr));
    }
  }
  if (captured.graph == nullptr)
    check(cudaGraphInstantiate(&captured.graph, made.get(), 0), "cudaGraphInstantiate");
  captured.slots.assign(slots.begin(), slots.end());
}

}  // namespace alula::cuda
