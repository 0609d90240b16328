#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "alula/runtime/op.h"

/// How inputs that broadcast line up with an output, for the kernels that codegen.h prints.
namespace alula::cuda {

/// The strides of an input over the output's dimensions, outermost first: 0 where it repeats.
InlineVector<int64_t, kMaxRank> strides_over(const Shape& output, const Shape& input);

/// Dimensions from the innermost outwards, with a stride for each of some inputs; neighbours that
/// no input tells apart are one, so a bias over [batch, height, width, channels] has two.
struct Merged {
  InlineVector<int64_t, kMaxRank> dims;
  InlineVector<InlineVector<int64_t, kMaxRank>, 4> strides;  // of each input; 0 where it repeats
};
Merged merge_dimensions(const Shape& output, std::span<const Shape* const> inputs);

/// Where an input's element for the output's element i stands.
enum class Access : uint8_t {
  kSame,    // at i
  kOne,     // it is the only one
  kRow,     // neighbours along the innermost merged dimension are neighbours here
  kRowOne,  // neighbours along the innermost merged dimension are one element here
};

/// What a kernel is compiled for. Sizes and strides are arguments, so that a new shape rarely needs
/// a new kernel.
struct Pattern {
  InlineVector<Access, 4> inputs;
  int rank = 1;       // of the merged dimensions; 1 if no input goes by rows
  int width = 1;      // neighbouring elements that a thread takes at once
  bool wide = false;  // whether positions need 64 bits
  bool operator==(const Pattern&) const = default;
};

/// The division by a number that stays the same, as a multiplication: right for n < 2^31.
struct Divider {
  uint32_t multiplier = 0, shift = 0, divisor = 1;
  Divider() = default;
  explicit Divider(uint32_t divisor);
  uint32_t divide(uint32_t n) const {
    return static_cast<uint32_t>(((uint64_t{n} * multiplier) >> 32) + n) >> shift;
  }
};

/// One call's pattern, and the numbers that its kernel needs beside it.
class Layout {
 public:
  Layout(std::span<const View> inputs, std::span<const View> outputs);

  const Pattern& pattern() const { return pattern_; }
  /// The number of threads that would leave each one `width` elements.
  int64_t packs() const { return (count_ + pattern_.width - 1) / pattern_.width; }
  /// The kernel's argument after the tensors: the count, or the prelude's struct Rows.
  const void* argument() const {
    return pattern_.wide ? static_cast<const void*>(words64_.data()) : words32_.data();
  }

 private:
  int widest_pack(std::span<const View> inputs, std::span<const View> outputs, int64_t row) const;
  void set_argument(const Merged& merged);

  Pattern pattern_;
  int64_t count_ = 0;
  InlineVector<uint32_t, 32> words32_;
  InlineVector<uint64_t, 2> words64_;
};

}  // namespace alula::cuda
