#pragma once
#include <string_view>

#include "alula/ops/data_movement.h"
#include "alula/ops/window.h"

namespace alula {

/// How a resized image's pixels are made: a word in any case ("bilinear"), or one of the values.
struct ResizeMethod {
  enum Kind : uint8_t {
    kBilinear,  // between the nearest two
    kNearest,
    kBicubic,  // a cubic through the nearest four
    kArea,     // the mean of the area that a pixel covers
    kLanczos3,
    kLanczos5,
    kGaussian,
    kMitchellCubic,
  };
  Kind kind = kBilinear;

  constexpr ResizeMethod() = default;
  constexpr ResizeMethod(Kind kind) : kind(kind) {}
  ResizeMethod(std::string_view word);
  ResizeMethod(const char* word) : ResizeMethod(std::string_view(word)) {}
  ResizeMethod(const std::string& word) : ResizeMethod(std::string_view(word)) {}
  constexpr bool operator==(const ResizeMethod&) const = default;
};

/// "bilinear"
std::string to_string(const ResizeMethod& method);

struct ResizeOptions {
  ResizeMethod method;
  /// Makes the result as large as fits into the size without a change of proportions.
  bool preserve_aspect_ratio = false;
  /// Whether the pixels of a smaller image are made of all that they cover, and not only of the
  /// nearest ones. It changes nothing for nearest and area.
  bool antialias = false;
};
Attributes attributes_of(const ResizeOptions& options);

/// Images of another size: [..., height, width, channels]. Numbers; the result is float32, unless
/// the method is nearest, which keeps the dtype. Pixels are areas whose centres are at a half, as
/// in tf.image.resize.
///   resize(images, {32, 48}, {.method = "nearest"})
Tensor resize(const Tensor& images, Size2 size, const ResizeOptions& options = {});

/// The gradient of resize with respect to images of `size`. gradient: like resize's result, of a
/// floating type; the result is float64 if that is, else float32.
Tensor resize_gradient(const Tensor& gradient, Size2 size, const ResizeOptions& options = {});

/// The size of the result for images of some size, of which a dimension may be unknown.
Size2 resized(Size2 images, Size2 size, const ResizeOptions& options);

/// The op behind `resize`.
struct Resize final : OpOf<Resize>, ResizeOptions {
  static constexpr const char* kName = "resize";
  static constexpr DTypeSet kDTypes = kNumeric;

  Size2 size;

  explicit Resize(Size2 size, const ResizeOptions& options = {})
      : ResizeOptions(options), size(size) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return kNeedsNothing; }
};

/// The op behind `resize_gradient`. Its size is that of the images; the proportions are settled.
struct ResizeGradient final : OpOf<ResizeGradient>, ResizeOptions {
  static constexpr const char* kName = "resize_gradient";
  static constexpr DTypeSet kDTypes = kFloating;

  Size2 size;

  explicit ResizeGradient(Size2 size, const ResizeOptions& options = {})
      : ResizeOptions(options), size(size) {}
  Specs infer(SpecRefs inputs) const override;
  Tensors batched(std::span<const BatchedInput> inputs, int64_t size) const override;
  Attributes attributes() const override;
  Cost cost(SpecRefs inputs, std::span<const Spec> outputs) const override;
  Gradients gradient(const Recorded& call) const override;
  Needs needs(IndexSet) const override { return kNeedsNothing; }
};

/// What a dimension of the result is made of: position i of `count` neighbours from first[i] on,
/// with these weights.
struct ResizeTaps {
  int64_t count = 0;
  std::vector<int64_t> first;
  std::vector<float> weights;  // count for each position
  bool blends = false;         // two neighbours whose weights add up to 1

  /// For a dimension of `from` elements that becomes one of `to`. They must be positive.
  static ResizeTaps of(int64_t from, int64_t to, const ResizeOptions& options);
  /// What each of the `from` elements gives to the result.
  ResizeTaps transposed(int64_t from) const;
};

}  // namespace alula

template <>
struct fmt::formatter<alula::ResizeMethod> : alula::TextFormatter<alula::ResizeMethod> {};
