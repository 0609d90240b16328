#include "alula/runtime/spans.h"

#include <algorithm>
#include <chrono>
#include <shared_mutex>

namespace alula::spans {

constinit std::atomic<uint32_t> g_process_sinks = 0;

namespace {

constinit thread_local Sink* t_sink = nullptr;

/// The sinks of the process. Those told are held by the shared lock: none goes away meanwhile.
struct Sinks {
  std::shared_mutex mutex;
  std::vector<Sink*> all;
};

Sinks& sinks() {
  static auto* sinks = new Sinks;  // threads may outlive everything static
  return *sinks;
}

void install(Sink* sink) {
  t_sink = sink;
  if (sink != nullptr)
    t_state.flags |= kThreadHasSink;
  else
    t_state.flags &= ~kThreadHasSink;
}

int number_of_this_thread() {
  static std::atomic<int> count = 0;
  thread_local const int number = count++;
  return number;
}

int64_t bytes_of(std::span<const View> views) {
  int64_t sum = 0;
  for (const View& view : views) sum += view.bytes();
  return sum;
}

}  // namespace

OfProcess::OfProcess(Sink& sink) : sink_(sink) {
  const std::unique_lock lock(sinks().mutex);
  sinks().all.push_back(&sink);
  ++g_process_sinks;
}

OfProcess::~OfProcess() {
  const std::unique_lock lock(sinks().mutex);
  std::erase(sinks().all, &sink_);
  --g_process_sinks;
}

OfThread::OfThread(Sink& sink) : outer_(t_sink) { install(&sink); }
OfThread::~OfThread() { install(outer_); }

Recording::Recording() : listening_(std::make_unique<OfProcess>(static_cast<Sink&>(*this))) {}
Recording::~Recording() { listening_.reset(); }

std::vector<Span> Recording::stop() {
  listening_.reset();
  return std::move(spans_);
}

void Recording::ran(const Op& op, const Measured& call) {
  const int thread = number_of_this_thread();
  const std::lock_guard lock(mutex_);
  spans_.push_back({call, op.name(), thread});
}

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void report(const Op& op, Measured call, std::span<const View> inputs,
            std::span<const View> outputs) {
  call.read = bytes_of(inputs);
  call.written = bytes_of(outputs);
  if (t_sink != nullptr) t_sink->ran(op, call);
  if (process_sinks() == 0) return;
  const std::shared_lock lock(sinks().mutex);
  for (Sink* sink : sinks().all) sink->ran(op, call);
}

void Stopwatch::start() {
  if (backend_ != nullptr) backend_->synchronize();  // what came before is not this call's
  start_ = now();
}

void Stopwatch::finish(const Op& op, std::span<const View> inputs,
                       std::span<const View> outputs) const {
  if (backend_ != nullptr) backend_->synchronize();
  const Device device = backend_ != nullptr ? backend_->device() : kCPU;
  report(op, {.device = device, .start = start_, .end = now()}, inputs, outputs);
}

}  // namespace alula::spans
