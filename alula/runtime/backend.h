#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alula/core/buffer.h"
#include "alula/runtime/op.h"

namespace alula {

/// Everything that Alula asks of a device. One object stands for one device.
///
/// A device has one queue. What is put on it runs in order and, except on the CPU, after the call
/// has returned; so memory may be released as soon as the work that uses it has been put on the
/// queue, and given out again to work that comes after. An error in the work itself is thrown by
/// the next call that waits.

/// The version of this contract: a plugin built against another one is refused.
inline constexpr int kBackendVersion = 2;

/// A point in a device's queue: everything put on it before.
using Ticket = uint64_t;

/// One tensor of a prepared list of calls: it lives `offset` bytes into the slot `slot`.
struct Operand {
  Spec spec;
  int slot = 0;
  size_t offset = 0;
};

/// One call in a prepared list.
struct Step {
  std::shared_ptr<const Op> op;
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
};

/// A list of calls made ready to run many times: prebound on the CPU, a captured graph on a GPU.
class Executable {
 public:
  virtual ~Executable() = default;
  /// Puts the whole list on the queue. `slots` are addresses on the device, one for each slot; they
  /// may differ from run to run, but a GPU's graph is fastest while they stay the same.
  virtual void run(std::span<void* const> slots) = 0;
};

struct MemoryInfo {
  int64_t in_use = 0;  // handed out
  int64_t cached = 0;  // kept for reuse
  int64_t total = 0;   // of the device, or the limit set for it
  int64_t peak = 0;    // the most that was handed out at a time
};

class Backend : public Allocator {
 public:
  /// "NVIDIA H200, 132 multiprocessors, 139 GiB"
  virtual std::string description() const = 0;
  virtual MemoryInfo memory() const = 0;
  /// Counts the peak anew, from what is in use now.
  virtual void reset_peak() {}
  /// Gives memory that is kept for reuse back, as far as that is possible.
  virtual void give_back_cache() {}
  /// Takes at most so many bytes from now on; FailedPreconditionError if memory has been taken.
  virtual void limit_memory(int64_t bytes) {
    fail<UnimplementedError>("device: the memory of {} cannot be limited. Got {} bytes.", device(),
                             bytes);
  }

  /// Whether `run` can compute this op on these inputs.
  virtual bool supports(const Op& op, SpecRefs inputs) const = 0;
  /// Puts one kernel on the queue.
  virtual void run(const Op& op, std::span<const View> inputs, std::span<const View> outputs) = 0;
  virtual std::unique_ptr<Executable> prepare(std::vector<Step> steps) = 0;

  /// Copies from the host. `from` may be changed or freed as soon as this returns.
  virtual void copy_from_host(void* to, const void* from, size_t bytes) = 0;
  /// Copies to the host, after what is on the queue. Returns when `to` is filled.
  virtual void copy_to_host(void* to, const void* from, size_t bytes) = 0;
  /// Copies a tensor of the host's, which is never changed, so that it may be read later; it is
  /// held until then. Into a new block of `for_uploads()`, which nothing has used, the copy may
  /// overtake what is on the queue. What comes after waits for it.
  virtual void upload(void* to, const Tensor& from) {
    copy_from_host(to, from.data(), static_cast<size_t>(from.bytes()));
  }
  /// Gives out blocks that the queue is through with, as far as there are some.
  virtual Allocator& for_uploads() { return *this; }
  /// Copies from another device after what is on its queue, or returns false: it must go by way of
  /// the host.
  virtual bool copy_from_peer([[maybe_unused]] void* to, [[maybe_unused]] Backend& owner,
                              [[maybe_unused]] const void* from, [[maybe_unused]] size_t bytes) {
    return false;
  }
  /// Copies within the device.
  virtual void copy(void* to, const void* from, size_t bytes) = 0;

  /// A ticket for all that is on the queue now.
  virtual Ticket record() = 0;
  /// Returns when all that the ticket stands for is done; throws the first error among it.
  virtual void wait(Ticket ticket) = 0;
  virtual bool done(Ticket ticket) = 0;
  void synchronize() { wait(record()); }
};

}  // namespace alula
