#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "alula/core/device.h"

namespace alula {

/// Where a device's memory comes from. A backend is one.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual Device device() const = 0;
  /// Throws ResourceExhaustedError when there is no more.
  virtual void* allocate(size_t bytes) = 0;
  virtual void release(void* block, size_t bytes) noexcept = 0;
};

/// A counted reference to a T that has `std::atomic<int> references` and `void destroy()`.
template <class T>
class Ref {
 public:
  Ref() = default;
  /// Takes over the reference that a new T is born with.
  explicit Ref(T* adopted) : object_(adopted) {}
  Ref(const Ref& other) : object_(other.object_) {
    if (object_ != nullptr) object_->references.fetch_add(1, std::memory_order_relaxed);
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ == nullptr) return;
    // The last holder needs no atomic subtraction: nobody else can see the object any more.
    if (object_->references.load(std::memory_order_acquire) == 1 ||
        object_->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      object_->destroy();
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  bool unique() const { return object_->references.load(std::memory_order_acquire) == 1; }

 private:
  T* object_ = nullptr;
};

/// A block of a device's memory, shared by the tensors that view it.
struct Buffer {
  std::atomic<int> references = 1;
  void* data;
  size_t bytes;
  Allocator* allocator;
  size_t strings = 0;  // how many std::string objects it begins with

  Buffer(size_t bytes, Allocator& allocator)
      : data(allocator.allocate(bytes)), bytes(bytes), allocator(&allocator) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    std::destroy_n(static_cast<std::string*>(data), strings);
    allocator->release(data, bytes);
  }
  void destroy() { delete this; }
};

}  // namespace alula
