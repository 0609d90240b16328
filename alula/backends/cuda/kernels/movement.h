#pragma once
#include <algorithm>
#include <string>
#include <type_traits>

#include "alula/backends/cuda/card.h"
#include "alula/backends/cuda/layout.h"

/// What the kernels that only move elements share. They do so by units: as many neighbours as stay
/// together, up to the 16 bytes that one access takes. Their arguments are structs that device code
/// declares with the same members.
namespace alula::cuda {

inline constexpr int64_t kMostUnitBytes = 16;

/// "unsigned int": a type of so many bytes, 1, 2, 4, 8 or 16.
std::string_view unit_name(int64_t bytes);

/// The bytes of a unit, and the elements in it.
struct Unit {
  int64_t bytes = 1, elements = 1;

  explicit Unit(DType dtype) : bytes(static_cast<int64_t>(size_of(dtype))) {}
  /// The largest for which `fits(elements, bytes)`.
  template <class Fits>
  Unit(DType dtype, const Fits& fits) : Unit(dtype) {
    while (2 * bytes <= kMostUnitBytes && fits(2 * elements, 2 * bytes)) {
      bytes *= 2;
      elements *= 2;
    }
  }
};

inline bool is_aligned(const void* at, int64_t bytes) {
  return reinterpret_cast<uintptr_t>(at) % static_cast<uintptr_t>(bytes) == 0;
}

struct WideDivider {
  uint64_t divisor = 1;
  WideDivider() = default;
  explicit WideDivider(uint64_t divisor) : divisor(divisor) {}
};
/// The prelude's Divider<Index>.
template <class Index>
using DividerOf = std::conditional_t<sizeof(Index) == 4, Divider, WideDivider>;

template <class Index>
constexpr std::string_view index_name() {
  return sizeof(Index) == 4 ? "unsigned int" : "unsigned long long";
}

/// Calls `f(Index())` with a type for positions that has 32 bits, where those are enough for
/// numbers up to `most`.
template <class F>
void with_index(int64_t most, const F& f) {
  if (most < int64_t{1} << 31)
    f(uint32_t{0});
  else
    f(uint64_t{0});
}

/// The steps between the elements of a contiguous tensor, along each dimension.
std::array<int64_t, kMaxRank> steps_of(const Shape& shape);

/// A shape as [outer, length, inner] around one axis, given counted from either end.
struct AlongAxis {
  int64_t outer = 1, length = 1, inner = 1;

  AlongAxis(const Shape& shape, int64_t axis) {
    const int64_t at = axis < 0 ? axis + shape.rank() : axis;
    for (int i = 0; i < shape.rank(); ++i) (i < at ? outer : i > at ? inner : length) *= shape[i];
  }
};

/// A list of dimensions, in place.
template <class Dimension, int kMost>
class Dimensions {
 public:
  void push_back(const Dimension& dim) { dims_[count_++] = dim; }
  void pop_front() { std::copy(dims_.begin() + 1, dims_.begin() + count_--, dims_.begin()); }
  Dimension& operator[](size_t i) { return dims_[i]; }
  const Dimension& operator[](size_t i) const { return dims_[i]; }
  Dimension& back() { return dims_[count_ - 1]; }
  size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  const Dimension* begin() const { return dims_.data(); }
  const Dimension* end() const { return dims_.data() + count_; }

 private:
  std::array<Dimension, kMost> dims_{};
  size_t count_ = 0;
};

/// Copies elements of a tensor to all of another: what transpose, slice, reverse, tile and their
/// like come down to. It is a list of the result's dimensions, outermost first, and how far apart
/// the elements of each stand in the input; those that follow one another there are merged.
///   StridedCopy copy;   // the transpose of a [2, 3] matrix
///   copy.add(3, 1);
///   copy.add(2, 3);
///   copy.run(call, x, 0, y);
class StridedCopy {
 public:
  /// Adds a dimension inside those added before. The step, in elements, may be 0, which repeats an
  /// element, or negative, which reads backwards.
  void add(int64_t size, int64_t from);

  /// Copies from the input's element `start` on.
  void run(const KernelCall& call, const View& x, int64_t start, const View& y) const;

  /// A tensor has at most kMaxRank dimensions; tile needs two for each.
  static constexpr int kMost = 2 * kMaxRank;
  struct Dimension {
    int64_t size = 1, from = 1;
  };

 private:
  Dimensions<Dimension, kMost> dims_;
};

}  // namespace alula::cuda
