#pragma once
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "alula/runtime/backend.h"
#include "alula/runtime/dispatch.h"

/// What ran, where, when, and how much memory it read and wrote: what the profiler stands on.
/// Kernels know nothing of it: dispatch and the CPU's executables measure their calls.
namespace alula::spans {

/// One call of a kernel.
struct Measured {
  Device device;
  int64_t start = 0, end = 0;     // nanoseconds of the steady clock
  int64_t read = 0, written = 0;  // bytes of the inputs, and of the outputs
};

/// Told of kernel calls while it is in use. On devices with a queue, each call is waited for then,
/// so that its time is its own.
class Sink {
 public:
  virtual ~Sink() = default;
  /// In the thread that made the call. The op is there during this call alone.
  virtual void ran(const Op& op, const Measured& call) = 0;
};

/// Has a sink told of the calls of all threads while it lives.
class [[nodiscard]] OfProcess {
 public:
  explicit OfProcess(Sink& sink);
  ~OfProcess();
  OfProcess(const OfProcess&) = delete;
  OfProcess& operator=(const OfProcess&) = delete;

 private:
  Sink& sink_;
};

/// Has a sink told of the calls of this thread while it lives, in place of another that was.
class [[nodiscard]] OfThread {
 public:
  explicit OfThread(Sink& sink);
  ~OfThread();
  OfThread(const OfThread&) = delete;
  OfThread& operator=(const OfThread&) = delete;

 private:
  Sink* outer_;
};

/// A call as it is kept.
struct Span : Measured {
  std::string name;  // of the op
  int thread = 0;    // 0, 1, …: in the order in which they were first seen
};

/// Keeps the calls of all threads, from when it is made until it is stopped.
///   spans::Recording recording;
///   …
///   for (const spans::Span& span : recording.stop()) …
class Recording final : private Sink {
 public:
  Recording();
  ~Recording() override;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  /// What ran, in the order in which it ended.
  std::vector<Span> stop();

 private:
  void ran(const Op& op, const Measured& call) override;
  std::mutex mutex_;
  std::vector<Span> spans_;
  std::unique_ptr<OfProcess> listening_;
};

/// A bit of ThreadState::flags: this thread has a sink of its own.
inline constexpr uint32_t kThreadHasSink = 1U << 31;

extern constinit std::atomic<uint32_t> g_process_sinks;
/// Not 0 while calls of all threads are measured: what dispatch looks at, beside its flags.
inline uint32_t process_sinks() { return g_process_sinks.load(std::memory_order_relaxed); }
/// Whether calls of this thread are measured.
inline bool active() { return ((t_state.flags & kThreadHasSink) | process_sinks()) != 0; }

int64_t now();
/// Tells the sinks of a call.
void report(const Op& op, Measured call, std::span<const View> inputs,
            std::span<const View> outputs);

/// Measures one call from when it is made, if anybody listens.
class Stopwatch {
 public:
  /// `backend` is what runs the call, or null for the CPU.
  explicit Stopwatch(Backend* backend) : backend_(backend) {
    if (active()) [[unlikely]]
      start();
  }
  void stop(const Op& op, std::span<const View> inputs, std::span<const View> outputs) const {
    if (start_ != 0) [[unlikely]]
      finish(op, inputs, outputs);
  }

 private:
  void start();
  void finish(const Op& op, std::span<const View> inputs, std::span<const View> outputs) const;
  Backend* backend_;
  int64_t start_ = 0;
};

}  // namespace alula::spans
