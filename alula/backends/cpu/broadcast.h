#pragma once
#include <cstddef>
#include <span>

#include "alula/runtime/op.h"

namespace alula::cpu {

/// How the elements of several inputs line up with those of an output that they broadcast to. The
/// dimensions that no input tells apart are merged first: a bias over [batch, height, width,
/// channels] is a row of `channels`, repeated.
class Broadcast {
 public:
  enum class Kind : uint8_t {
    kSame,    // the output's shape: element i stands at i
    kOne,     // one element
    kRow,     // along the last merged dimension its elements follow one another
    kRowOne,  // along the last merged dimension it is one element
  };

  Broadcast(const Shape& output, std::span<const View> inputs);

  Kind kind(size_t input) const { return kinds_[input]; }
  /// The number of inputs that go by rows, and the length of a row.
  int rows() const { return rows_; }
  bool has_rows() const { return rows_ > 0; }
  int64_t row() const { return dims_.back(); }

  /// Whether the input is one row, the same all over the output.
  bool is_one_row(size_t input) const;

  /// Where the input's element for the output's element `i` stands.
  int64_t offset(size_t input, int64_t i) const;
  /// Writes the input's elements for the output's [begin, begin + n) to `to`.
  void fill(size_t input, int64_t begin, int64_t n, const std::byte* from, std::byte* to,
            int64_t width) const;

 private:
  Shape dims_;
  InlineVector<Kind, 4> kinds_;
  InlineVector<Shape, 4> strides_;
  int rows_ = 0;
};

}  // namespace alula::cpu
