#include "alula/core/shape.h"

#include <iterator>

namespace alula {

Shape Shape::without(int axis) const {
  Shape shape;
  for (int i = 0; i < rank_; ++i)
    if (i != axis) shape.dims_[shape.rank_++] = dims_[i];
  return shape;
}

Shape Shape::with_inserted(int axis, int64_t dim) const {
  Shape shape;
  for (int i = 0; i <= rank_; ++i) {
    if (i == axis) shape.push_back(dim);
    if (i < rank_) shape.push_back(dims_[i]);
  }
  return shape;
}

Shape Shape::operator+(const Shape& inner) const {
  Shape shape = *this;
  for (int64_t dim : inner) shape.push_back(dim);
  return shape;
}

int64_t Shape::checked_size(const char* who, size_t element_bytes) const {
  auto bytes = static_cast<int64_t>(element_bytes);
  bool overflows = false, empty = false, negative = false;
  for (int64_t dim : *this) {
    overflows |= __builtin_mul_overflow(bytes, dim, &bytes);
    empty |= dim == 0;
    negative |= dim < 0;
  }
  if (negative) [[unlikely]] {
    require(is_known(), "{}: the shape {} has an unknown dimension.", who, *this);
    fail("{}: a dimension cannot be negative. Got {}.", who, *this);
  }
  // An empty tensor is fine however large its other dimensions are.
  require(!overflows || empty, "{}: a tensor of shape {} has too many elements to count.", who,
          *this);
  return size();
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) text += ',';
    text += shape[i] == kUnknown ? "?" : std::to_string(shape[i]);
  }
  return text + "]";
}

int normalize_axis(const char* who, int64_t axis, int rank) {
  require(axis >= -rank && axis < rank, "{}: axis {} is out of range for {} dimension{}.", who,
          axis, rank, rank == 1 ? "" : "s");
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Shape broadcast(const char* who, const Shape& a, const Shape& b) {
  if (a == b) return a;
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape shape = longer;
  const int offset = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    const int64_t x = longer[offset + i], y = shorter[i];
    if (x == y || y == 1) continue;
    if (x == 1 || x == kUnknown) {
      shape[offset + i] = y;
      continue;
    }
    require(y == kUnknown, "{}: the shapes {} and {} do not broadcast: {} is neither {} nor 1.",
            who, a, b, x, y);
  }
  return shape;
}

bool compatible(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank(); ++i)
    if (a[i] != b[i] && a[i] != kUnknown && b[i] != kUnknown) return false;
  return true;
}

}  // namespace alula
