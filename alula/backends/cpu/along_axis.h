#pragma once
#include "alula/core/memory.h"
#include "alula/core/shape.h"

namespace alula::cpu {

/// A shape as [outer, length, inner] around one axis, given counted from either end.
struct AlongAxis {
  int64_t outer = 1, length = 1, inner = 1;

  AlongAxis(const Shape& shape, int64_t axis) {
    const int64_t at = axis < 0 ? axis + shape.rank() : axis;
    for (int i = 0; i < shape.rank(); ++i) (i < at ? outer : i > at ? inner : length) *= shape[i];
  }
};

/// Memory that a kernel needs while it runs: `count` uninitialised T.
template <class T>
class Scratch {
 public:
  explicit Scratch(int64_t count)
      : bytes_(count * sizeof(T)), data_(static_cast<T*>(memory::allocate(bytes_))) {}
  ~Scratch() { memory::release(data_, bytes_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  T* data() const { return data_; }

 private:
  size_t bytes_;
  T* data_;
};

}  // namespace alula::cpu
