#pragma once
#include <array>
#include <cstddef>

#include "alula/runtime/op.h"

namespace alula::cpu {

/// Copies elements from one layout to another: what transpose, slice, tile, concat, pad and their
/// like come down to. A layout is a list of dimensions, outermost first, and how far apart the
/// elements of each stand on both sides; dimensions that follow one another on both sides are
/// merged.
///   StridedCopy copy(float32);   // the transpose of a [2, 3] matrix
///   copy.add(3, 1, 2);
///   copy.add(2, 3, 1);
///   copy.run(from, to);
class StridedCopy {
 public:
  explicit StridedCopy(DType dtype) : dtype_(dtype), width_(static_cast<int64_t>(size_of(dtype))) {}

  /// Adds a dimension inside those added before. The steps are in elements; `from` may be 0, which
  /// repeats an element, or negative, which reads backwards.
  void add(int64_t size, int64_t from, int64_t to);

  /// Copies from the element at `from` on to the element at `to` on. They must not overlap.
  void run(const void* from, void* to) const;

  /// A tensor has at most kMaxRank dimensions; tile needs two for each.
  static constexpr int kMost = 2 * kMaxRank;
  struct Dimension {
    int64_t size, from, to;  // steps in bytes
  };

 private:
  std::array<Dimension, kMost> dims_;
  int rank_ = 0;
  bool empty_ = false;
  DType dtype_;
  int64_t width_;
};

/// The steps between the elements of a contiguous tensor, along each dimension.
std::array<int64_t, kMaxRank> steps_of(const Shape& shape);

/// The address of element `i`.
inline std::byte* element(const View& view, int64_t i) {
  return view.as<std::byte>() + i * static_cast<int64_t>(size_of(view.dtype()));
}

}  // namespace alula::cpu
