#pragma once
#include "alula/core/memory.h"

namespace alula::cpu {

/// Memory of a kernel's own for `count` elements, not initialised.
template <class T>
class Scratch {
 public:
  explicit Scratch(int64_t count)
      : bytes_(static_cast<size_t>(count) * sizeof(T)),
        data_(count == 0 ? nullptr : static_cast<T*>(memory::allocate(bytes_))) {}
  ~Scratch() {
    if (data_ != nullptr) memory::release(data_, bytes_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  T* data() const { return data_; }
  T& operator[](int64_t i) const { return data_[i]; }

 private:
  size_t bytes_;
  T* data_;
};

}  // namespace alula::cpu
