#pragma once
#include "alula/ops/data_movement.h"

namespace alula {

/// Which part of a dimension `crop_or_pad` takes: from a position on, which may lie before the
/// start, so many elements, which may go beyond the end. What is outside is zero.
class Framing {
 public:
  /// From `begin` on.
  static Framing at(int64_t begin, int64_t size) { return {Kind::kAt, begin, size, 0}; }
  /// The same, all of which must be there.
  static Framing crop(int64_t begin, int64_t size) { return {Kind::kCrop, begin, size, 0}; }
  /// Zeros, then all of the dimension, then zeros up to `size`.
  static Framing pad(int64_t before, int64_t size) { return {Kind::kPad, -before, size, 0}; }
  /// The middle, or zeros on both sides.
  static Framing central(int64_t size) { return {Kind::kCentral, 0, size, 0}; }
  /// About this part of the dimension, in the middle.
  static Framing middle(double fraction) { return {Kind::kMiddle, 0, 0, fraction}; }

  struct Part {
    int64_t begin, size;
  };
  /// What it means for a dimension, or an error that names `who` and the dimension.
  Part of(const char* who, const char* dimension, int64_t dim) const;
  /// The size that comes out; unknown if it depends on an unknown dimension.
  int64_t size_of(const char* who, const char* dimension, int64_t dim) const;

  friend std::string to_string(const Framing& framing);

 private:
  enum class Kind : uint8_t { kAt, kCrop, kPad, kCentral, kMiddle };
  Framing(Kind kind, int64_t begin, int64_t size, double fraction)
      : kind_(kind), begin_(begin), size_(size), fraction_(fraction) {}
  Kind kind_;
  int64_t begin_, size_;
  double fraction_;
};

/// A window onto images: [..., height, width, channels]. What of it lies outside of an image is
/// zero (false for bool). Which part it is may depend on dimensions that are not known yet.
///   crop_or_pad(images, Framing::crop(1, 2), Framing::central(5))
Tensor crop_or_pad(const Tensor& images, const Framing& height, const Framing& width);

/// The op behind `crop_or_pad`.
struct CropOrPad final : OpOf<CropOrPad> {
  static constexpr const char* kName = "crop_or_pad";
  static constexpr DTypeSet kDTypes = kNumericOrBool;

  Framing height, width;

  CropOrPad(const Framing& height, const Framing& width) : height(height), width(width) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs, std::span<const Spec> outputs) const override {
    return copying_cost(outputs);
  }
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return kNeedsNothing; }
};

}  // namespace alula

template <>
struct fmt::formatter<alula::Framing> : alula::TextFormatter<alula::Framing> {};
