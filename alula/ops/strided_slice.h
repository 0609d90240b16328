#pragma once
#include <concepts>
#include <limits>

#include "alula/ops/data_movement.h"

namespace alula {

/// Bit i of a mask concerns entry i of begin, end and strides.
struct StridedSliceMasks {
  uint32_t begin_mask = 0;        // from the start
  uint32_t end_mask = 0;          // to the end
  uint32_t ellipsis_mask = 0;     // all dimensions that the other entries leave over
  uint32_t new_axis_mask = 0;     // a new dimension of size 1
  uint32_t shrink_axis_mask = 0;  // the one element at begin; the dimension is dropped
};

struct StridedSliceOptions : StridedSliceMasks {
  Ints strides;  // all 1 unless given
};

/// Every strides[i]-th element from begin[i] up to, but without, end[i]. Negative positions count
/// from the end, negative strides go backwards, and positions beyond the ends are moved there: as
/// slices in Python.
///   strided_slice({1, 2, 3, 4, 5}, {1}, {-1})                        ->  {2, 3, 4}
///   strided_slice({1, 2, 3, 4, 5}, {4}, {0}, {.strides = {-2}})      ->  {5, 3}
Tensor strided_slice(const Tensor& x, const Ints& begin, const Ints& end,
                     const StridedSliceOptions& options = {});

/// One entry of an index: a position, a range, or one of kAll, kEllipsis and kNewAxis.
class Index {
 public:
  /// The end of a range that goes as far as there are elements.
  static constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

  template <std::integral T>
  constexpr Index(T position) : kind_(Kind::kPosition), begin_(static_cast<int64_t>(position)) {}
  constexpr Index(int64_t begin, int64_t end, int64_t stride = 1)
      : kind_(Kind::kRange), begin_(begin), end_(end), stride_(stride) {}

  enum class Kind : uint8_t { kPosition, kRange, kEllipsis, kNewAxis };
  constexpr explicit Index(Kind kind) : kind_(kind) {}

  Kind kind() const { return kind_; }
  int64_t begin() const { return begin_; }
  int64_t end() const { return end_; }
  int64_t stride() const { return stride_; }

 private:
  Kind kind_;
  int64_t begin_ = 0, end_ = kEnd, stride_ = 1;
};

/// All of a dimension; all dimensions not named; a new dimension of size 1.
inline constexpr Index kAll{0, Index::kEnd};
inline constexpr Index kEllipsis{Index::Kind::kEllipsis};
inline constexpr Index kNewAxis{Index::Kind::kNewAxis};

/// Indexes a tensor as Python does: a number picks one element of a dimension, {begin, end} or
/// {begin, end, stride} a range of it.
///   at(x, {0, {1, 3}})          x[0, 1:3]
///   at(x, {kEllipsis, -1})      x[..., -1]
///   at(x, {{-1, Index::kEnd, -1}, kNewAxis})   x[::-1, None]
Tensor at(const Tensor& x, std::initializer_list<Index> index);

/// The op behind `strided_slice`.
struct StridedSlice final : OpOf<StridedSlice>, StridedSliceMasks {
  static constexpr const char* kName = "strided_slice";
  static constexpr DTypeSet kDTypes = kAnyType;

  Ints begin, end, strides;

  StridedSlice(const Ints& begin, const Ints& end, const StridedSliceOptions& options = {});

  /// What it means for an input of some shape: for each of its dimensions the first element, the
  /// step and how many; and the result's shape.
  struct Resolved {
    Ints begin, stride, size;
    Shape shape;
  };
  Resolved resolve(const Shape& input) const;

  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs, std::span<const Spec> outputs) const override {
    return copying_cost(outputs);
  }
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return kNeedsNothing; }

 private:
  int find_ellipsis() const;
  void resolve_entry(int entry, const Shape& input, Resolved& result) const;
};

}  // namespace alula
