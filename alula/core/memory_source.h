#pragma once
#include <cstddef>

namespace alula::memory {

/// Where large blocks of host memory come from, if not from the system: memory that a GPU reads and
/// writes by itself.
class Source {
 public:
  /// A block aligned as `allocate` promises, or none: the system is asked then.
  virtual void* take(size_t bytes) noexcept = 0;
  virtual void give_back(void* block, size_t bytes) noexcept = 0;
  virtual bool owns(const void* block) const noexcept = 0;
  /// Whether a block of the system's is better given back than kept, because the next request of
  /// its size will be met from here.
  virtual bool replaces(size_t bytes) noexcept = 0;

 protected:
  ~Source() = default;  // tensors may outlive everything: it stays
};

/// From now on large blocks come from `source`; from the system again if it is none, but no block
/// of the last source may be in use then. Blocks that wait for reuse are given back.
void set_source(Source* source) noexcept;

/// Copies as std::memcpy does; much at a time by the runtime's threads, since one core is slower
/// than the memory.
void copy(void* to, const void* from, size_t bytes) noexcept;

using Copier = void (*)(void* to, const void* from, size_t bytes);
/// How much at a time is copied.
void set_copier(Copier copier) noexcept;

}  // namespace alula::memory
