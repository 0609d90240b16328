#pragma once
#include <concepts>

#include "alula/ops/data_movement.h"

namespace alula {

/// How a dimension is cut: into a number of equal pieces, or into pieces of these sizes, one of
/// which may be -1: it takes what is left.
class Splits {
 public:
  template <std::integral T>
  Splits(T count) : equal_(true), count_(static_cast<int64_t>(count)) {}
  Splits(std::initializer_list<int64_t> sizes) : sizes_(sizes) {}
  Splits(const Ints& sizes) : sizes_(sizes) {}

  /// "3" or "[1,2]".
  friend std::string to_string(const Splits& splits) {
    return splits.equal_ ? fmt::format("{}", splits.count_) : fmt::format("{}", splits.sizes_);
  }
  /// The sizes of the pieces of a dimension; unknown where they depend on an unknown one.
  Ints of(const char* who, int64_t dim) const;

 private:
  bool equal_ = false;
  int64_t count_ = 0;  // of equal pieces
  Ints sizes_;
};

/// The pieces of a tensor that is cut along an axis.
///   split({1, 2, 3, 4, 5, 6}, 2)            ->  {1, 2, 3} and {4, 5, 6}
///   split({1, 2, 3, 4, 5, 6}, {1, -1, 2})   ->  {1}, {2, 3, 4} and {5, 6}
Tensors split(const Tensor& x, const Splits& num_or_size_splits, int64_t axis = 0);

/// The slices of a tensor along an axis, which they lack.
///   unstack({{1, 2}, {3, 4}}, 1)  ->  {1, 3} and {2, 4}
Tensors unstack(const Tensor& x, int64_t axis = 0);

/// The op behind `split`.
struct Split final : OpOf<Split> {
  static constexpr const char* kName = "split";
  static constexpr DTypeSet kDTypes = kAnyType;

  Splits splits;
  int64_t axis;

  explicit Split(const Splits& splits, int64_t axis = 0) : splits(splits), axis(axis) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return kNeedsNothing; }
};

/// The op behind `unstack`.
struct Unstack final : OpOf<Unstack> {
  static constexpr const char* kName = "unstack";
  static constexpr DTypeSet kDTypes = kAnyType;

  int64_t axis;

  explicit Unstack(int64_t axis = 0) : axis(axis) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return kNeedsNothing; }
};

}  // namespace alula

template <>
struct fmt::formatter<alula::Splits> : alula::TextFormatter<alula::Splits> {};
