#include "alula/backends/cpu/indices.h"

namespace alula::cpu {
namespace {

template <class T>
int64_t find_bad(const T* indices, int64_t count, int64_t size) {
  using Unsigned = std::make_unsigned_t<T>;
  // One comparison for both ends: a negative number is large as an unsigned one.
  for (int64_t i = 0; i < count; ++i)
    if (static_cast<uint64_t>(static_cast<Unsigned>(indices[i])) >= static_cast<uint64_t>(size))
      return i;
  return count;
}

}  // namespace

void Indices::check(const char* who, int64_t size) const {
  const int64_t bad = wide_ ? find_bad(view_.as<int64_t>(), count(), size)
                            : find_bad(view_.as<int32_t>(), count(), size);
  require(bad == count(),
          "{}: index {} is out of range: the axis has {} element{}. Got indices {}.", who,
          bad == count() ? 0 : (*this)[bad], size, size == 1 ? "" : "s", *view_.spec);
}

Positions::Positions(const char* who, const View& indices, const Shape& dims)
    : who_(who),
      indices_(indices),
      dims_(dims),
      count_(indices.shape().slice(0, indices.shape().rank() - 1).size()) {}

int64_t Positions::operator[](int64_t row) const {
  const int depth = dims_.rank();
  int64_t slice = 0;
  for (int i = 0; i < depth; ++i) {
    const int64_t position = indices_[row * depth + i];
    if (position < 0 || position >= dims_[i]) fail_at(row, i);
    slice = slice * dims_[i] + position;
  }
  return slice;
}

void Positions::fail_at(int64_t row, int axis) const {
  const int depth = dims_.rank();
  fail("{}: index {} (number {} of row {}) is out of range: dimension {} of {} has {} elements.",
       who_, indices_[row * depth + axis], axis, row, axis, dims_, dims_[axis]);
}

}  // namespace alula::cpu
