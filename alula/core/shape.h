#pragma once
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include <fmt/format.h>

#include "alula/core/error.h"
#include "alula/core/format.h"

namespace alula {

inline constexpr int kMaxRank = 8;

/// A dimension whose size is not known until a graph runs.
inline constexpr int64_t kUnknown = -1;

/// The sizes of a tensor's dimensions, outermost first. Rank 0 is a scalar; a size may be 0.
class Shape {
 public:
  constexpr Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int64_t> dims) {
    for (int64_t dim : dims) push_back(dim);
  }

  int rank() const { return rank_; }
  int64_t operator[](int axis) const { return dims_[axis]; }
  int64_t& operator[](int axis) { return dims_[axis]; }
  const int64_t* begin() const { return dims_; }
  const int64_t* end() const { return dims_ + rank_; }
  std::span<const int64_t> dims() const { return {dims_, static_cast<size_t>(rank_)}; }
  int64_t front() const { return dims_[0]; }
  int64_t back() const { return dims_[rank_ - 1]; }

  /// Appends a dimension: at least 0, or kUnknown.
  void push_back(int64_t dim) {
    require(rank_ < kMaxRank, "shape: at most {} dimensions are supported.", kMaxRank);
    require(dim >= kUnknown, "shape: a dimension cannot be negative. Got {}.", dim);
    dims_[rank_++] = dim;
  }
  Shape with(int axis, int64_t dim) const {
    Shape shape = *this;
    shape.dims_[axis] = dim;
    return shape;
  }
  Shape without(int axis) const;
  Shape with_inserted(int axis, int64_t dim) const;
  /// The dimensions [from, to).
  Shape slice(int from, int to) const { return Shape(dims().subspan(from, to - from)); }
  Shape operator+(const Shape& inner) const;

  /// Whether every dimension is known.
  bool is_known() const { return std::find(begin(), end(), kUnknown) == end(); }
  /// The number of elements; the shape must be known and `checked`.
  int64_t size() const {
    uint64_t count = 1;  // unsigned: sizes beside a 0 may overflow, and the product is still 0
    for (int64_t dim : *this) count *= static_cast<uint64_t>(dim);
    return static_cast<int64_t>(count);
  }
  /// The number of elements, or an error naming `who` if it or the bytes overflow, or if a
  /// dimension is unknown or negative.
  int64_t checked_size(const char* who, size_t element_bytes = 1) const;

  bool operator==(const Shape& other) const {
    if (rank_ != other.rank_) return false;
    for (int i = 0; i < rank_; ++i)  // std::equal would call memcmp
      if (dims_[i] != other.dims_[i]) return false;
    return true;
  }

 private:
  int64_t dims_[kMaxRank] = {};
  int rank_ = 0;
};

/// "[2,3]"; an unknown dimension is "?".
std::string to_string(const Shape& shape);

/// An axis counted from the end if negative, checked: [-rank, rank).
int normalize_axis(const char* who, int64_t axis, int rank);

/// The common shape of operands that broadcast as in NumPy, or an error naming `who`.
/// An unknown dimension takes the other's size unless that is 1.
Shape broadcast(const char* who, const Shape& a, const Shape& b);

/// Whether two shapes can be the same tensor's: equal where both are known.
bool compatible(const Shape& a, const Shape& b);

}  // namespace alula

template <>
struct fmt::formatter<alula::Shape> : alula::TextFormatter<alula::Shape> {};
