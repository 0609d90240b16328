#pragma once
#include "alula/runtime/op.h"

namespace alula::cpu {

/// The positions that an op was given, as int32 or int64.
class Indices {
 public:
  explicit Indices(const View& view) : view_(view), wide_(view.dtype() == int64) {}
  int64_t operator[](int64_t i) const {
    return wide_ ? view_.as<int64_t>()[i] : view_.as<int32_t>()[i];
  }
  int64_t count() const { return view_.size(); }

  /// An error, naming `who`, unless all are within [0, size). They are checked before anything is
  /// written.
  void check(const char* who, int64_t size) const;

 private:
  View view_;
  bool wide_;
};

/// Positions in several dimensions at once: each row of the indices is one.
class Positions {
 public:
  /// `dims` are the dimensions that a row has a position for; they have passed `infer`.
  Positions(const char* who, const View& indices, const Shape& dims);
  int64_t count() const { return count_; }
  /// The number of the chosen slice, counted over all of `dims`; or an error if there is none.
  int64_t operator[](int64_t row) const;

 private:
  [[noreturn]] void fail_at(int64_t row, int axis) const;

  const char* who_;
  Indices indices_;
  Shape dims_;
  int64_t count_;
};

}  // namespace alula::cpu
