#include "alula/backends/cuda/graph.h"

#include <algorithm>
#include <optional>

#include "alula/backends/cuda/bind.h"
#include "alula/backends/cuda/faults.h"
#include "alula/backends/cuda/kernels.h"
#include "alula/core/log.h"

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
  for (Captured& captured : captured_) release(captured);
}

/// What is put on the stream from now on comes after the graph's last run.
void CapturedGraph::release_scratch(Captured& captured) {
  for (const Gpu::Block& block : captured.scratch) gpu_.memory().release(block.data, block.bytes);
  captured.scratch.clear();
}

/// A graph that is running is destroyed when it has run.
void CapturedGraph::release(Captured& captured) {
  release_scratch(captured);
  if (captured.graph != nullptr) cudaGraphExecDestroy(std::exchange(captured.graph, nullptr));
}

void CapturedGraph::run(std::span<void* const> slots) {
  if (steps_.empty()) return;
  check(cudaSetDevice(gpu_.info().ordinal), "cudaSetDevice");
  if (config::get_synchronous_execution()) return run_one_by_one(slots);
  read_times();
  const bool timed = race_.is_timed();
  const size_t way = race_.next();
  Captured& captured = find(way, slots);
  captured.used = ++runs_;
  if (!timed) return launch(captured);
  Interval interval;
  interval.begin.record(gpu_.stream());
  launch(captured);
  interval.end.record(gpu_.stream());
  timed_.push_back({way, std::move(interval)});
}

void CapturedGraph::launch(const Captured& captured) {
  check(cudaGraphLaunch(captured.graph, gpu_.stream()), "cudaGraphLaunch");
}

/// Tells the race of the runs that have ended. When it is decided, the slower graphs go.
void CapturedGraph::read_times() {
  while (!timed_.empty() && timed_.front().interval.is_past()) {
    race_.took(timed_.front().way, timed_.front().interval.milliseconds());
    timed_.pop_front();
    if (!race_.decided()) continue;
    logging::info("GPU: a graph of {} steps is faster {}.", steps_.size(),
                  ways_[race_.best()] == Chaining::kChained ? "chained" : "apart");
    std::erase_if(captured_, [&](Captured& captured) {
      if (captured.way == race_.best()) return false;
      release(captured);
      return true;
    });
  }
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
CapturedGraph::Captured& CapturedGraph::find(size_t way, std::span<void* const> slots) {
  constexpr size_t kMost = 4;
  Captured* oldest = nullptr;
  size_t count = 0;
  for (Captured& captured : captured_) {
    if (captured.way != way) continue;
    if (std::ranges::equal(slots, captured.slots)) return captured;
    if (oldest == nullptr || captured.used < oldest->used) oldest = &captured;
    ++count;
  }
  if (count < kMost) oldest = &captured_.emplace_back(Captured{.way = way});
  make_ready(*oldest, slots);
  return *oldest;
}

void CapturedGraph::put_on(cudaStream_t stream, std::span<void* const> slots) {
  const CurrentCard current(gpu_);
  for (const Step& step : steps_) {
    const Views inputs = bind(step.inputs, slots), outputs = bind(step.outputs, slots);
    if (Chain* chain = Chain::current(gpu_)) chain->next_step(inputs, outputs, stream);
    step.op->type().kernel(DeviceType::kGPU)(
        *step.op, {.inputs = inputs, .outputs = outputs, .queue = stream});
  }
}

/// Relaxed, so that a kernel may be compiled and loaded on the way.
cudaGraph_t CapturedGraph::capture(Captured& captured, std::span<void* const> slots) {
  const std::lock_guard lock(gpu_.capture_mutex());
  cudaStream_t stream = gpu_.capture_stream();
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  gpu_.keep_scratch_in(&captured.scratch);
  try {
    std::optional<Chain> chain;
    if (ways_[captured.way] == Chaining::kChained) chain.emplace(gpu_, steps_);
    put_on(stream, slots);
    if (chain) chain->finish(stream);
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
  const Graph made(capture(captured, slots));
  if (captured.graph != nullptr) {
    cudaGraphExecUpdateResultInfo result;
    if (cudaGraphExecUpdate(captured.graph, made.get(), &result) != cudaSuccess) {
      cudaGetLastError();
      cudaGraphExecDestroy(std::exchange(captured.graph, nullptr));
    }
  }
  if (captured.graph == nullptr)
    check(cudaGraphInstantiate(&captured.graph, made.get(), 0), "cudaGraphInstantiate");
  captured.slots.assign(slots.begin(), slots.end());
}

}  // namespace alula::cuda
