#pragma once
#include <memory>
#include <type_traits>

#include "alula/backends/cuda/error.h"

namespace alula::cuda {

/// A point on a stream, of the card that is current.
class Event {
 public:
  explicit Event(unsigned flags = cudaEventDisableTiming) {
    cudaEvent_t made = nullptr;
    check(cudaEventCreateWithFlags(&made, flags), "cudaEventCreateWithFlags");
    event_.reset(made);
  }

  cudaEvent_t get() const { return event_.get(); }
  void record(cudaStream_t stream) const {
    check(cudaEventRecord(get(), stream), "cudaEventRecord");
  }
  void wait() const { check(cudaEventSynchronize(get()), "cudaEventSynchronize"); }
  bool is_past() const {
    const cudaError_t code = cudaEventQuery(get());
    if (code == cudaErrorNotReady) return false;
    check(code, "cudaEventQuery");
    return true;
  }

 private:
  struct Destroy {
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  };
  std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Destroy> event_;
};

/// How long a card takes for what lies between two points on a stream.
struct Interval {
  Event begin{cudaEventDefault}, end{cudaEventDefault};

  bool is_past() const { return end.is_past(); }
  double milliseconds() const {
    float time = 0;
    check(cudaEventElapsedTime(&time, begin.get(), end.get()), "cudaEventElapsedTime");
    return time;
  }
};

/// Times work on a stream of its own, so that what is being captured does not see it.
class Stopwatch {
 public:
  Stopwatch() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  ~Stopwatch() { cudaStreamDestroy(stream_); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  cudaStream_t stream() const { return stream_; }
  /// Milliseconds of what `put` puts on the stream.
  template <class Put>
  double time_of(Put&& put) {
    interval_.begin.record(stream_);
    put(stream_);
    interval_.end.record(stream_);
    interval_.end.wait();
    return interval_.milliseconds();
  }

 private:
  cudaStream_t stream_ = nullptr;
  Interval interval_;
};

}  // namespace alula::cuda
