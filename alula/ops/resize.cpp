#include "alula/ops/resize.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "alula/ops/batching.h"
#include "alula/ops/cast.h"

namespace alula {
namespace {

const RegisterOp<Resize> registered;
const RegisterOp<ResizeGradient> gradient_registered;

constexpr std::pair<std::string_view, ResizeMethod::Kind> kMethods[] = {
    {"bilinear", ResizeMethod::kBilinear}, {"nearest", ResizeMethod::kNearest},
    {"bicubic", ResizeMethod::kBicubic},   {"area", ResizeMethod::kArea},
    {"lanczos3", ResizeMethod::kLanczos3}, {"lanczos5", ResizeMethod::kLanczos5},
    {"gaussian", ResizeMethod::kGaussian}, {"mitchellcubic", ResizeMethod::kMitchellCubic},
};

void check_images(const char* who, const Spec& images) {
  require(images.rank() >= 3, "{}: images are [..., height, width, channels]. Got {}.", who,
          images);
  for (const int axis : {images.rank() - 3, images.rank() - 2})
    require(images.shape[axis] != 0, "{}: an image without pixels cannot be resized. Got {}.", who,
            images);
}

void check_size(const char* who, Size2 size) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  require(size.height > 0 && size.width > 0 && size.height <= kMost && size.width <= kMost,
          "{}: the size must be positive, and at most {}. Got {}.", who, kMost, size);
}

Size2 size_of(const Shape& images) {
  return {images[images.rank() - 3], images[images.rank() - 2]};
}

Shape with_size(Shape images, Size2 size) {
  images[images.rank() - 3] = size.height;
  images[images.rank() - 2] = size.width;
  return images;
}

/// Two operations for each neighbour, along one dimension after the other.
Cost cost_of(SpecRefs inputs, std::span<const Spec> outputs, const Op& op) {
  Cost cost = op.Op::cost(inputs, outputs);
  const Size2 in = size_of(inputs[0].shape), out = size_of(outputs[0].shape);
  const auto ratio = [](int64_t a, int64_t b) {
    return std::max(1.0, static_cast<double>(a) / static_cast<double>(std::max<int64_t>(b, 1)));
  };
  cost.flops *= 4 * (ratio(in.height, out.height) + ratio(in.width, out.width));
  return cost;
}

}  // namespace

ResizeMethod::ResizeMethod(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [name, value] : kMethods) {
    if (name != lower) continue;
    kind = value;
    return;
  }
  fail(
      "resize: there is no method '{}'. Use bilinear, nearest, bicubic, area, lanczos3, lanczos5, "
      "gaussian or mitchellcubic.",
      word);
}

std::string to_string(const ResizeMethod& method) {
  for (const auto& [name, kind] : kMethods)
    if (kind == method.kind) return std::string(name);
  return "?";
}

Attributes attributes_of(const ResizeOptions& options) {
  return {{"method", options.method},
          {"preserve_aspect_ratio", options.preserve_aspect_ratio},
          {"antialias", options.antialias}};
}

Size2 resized(Size2 images, Size2 size, const ResizeOptions& options) {
  if (!options.preserve_aspect_ratio) return size;
  if (images.height == kUnknown || images.width == kUnknown) return {kUnknown, kUnknown};
  const auto height = static_cast<float>(images.height), width = static_cast<float>(images.width);
  const float scale =
      std::min(static_cast<float>(size.height) / height, static_cast<float>(size.width) / width);
  return {static_cast<int64_t>(std::nearbyint(scale * height)),
          static_cast<int64_t>(std::nearbyint(scale * width))};
}

Tensor resize(const Tensor& images, Size2 size, const ResizeOptions& options) {
  return call(Resize(size, options), images);
}

Tensor resize_gradient(const Tensor& gradient, Size2 size, const ResizeOptions& options) {
  return call(ResizeGradient(size, options), gradient);
}

Specs Resize::infer(SpecRefs inputs) const {
  const Spec& images = inputs[0];
  require(kDTypes.contains(images.dtype), "{}: takes {}. Got {}.", kName, kDTypes, images);
  check_images(kName, images);
  check_size(kName, size);
  const Size2 result = resized(size_of(images.shape), size, *this);
  require(result.height != 0 && result.width != 0,
          "{}: with its proportions kept, {} pixels are left. Got {} and size {}.", kName, result,
          images, size);
  const DType dtype = method == ResizeMethod::kNearest ? images.dtype : float32;
  return {Spec{dtype, with_size(images.shape, result)}};
}

Specs ResizeGradient::infer(SpecRefs inputs) const {
  const Spec& gradient = inputs[0];
  require(kDTypes.contains(gradient.dtype), "{}: takes {}. Got {}.", kName, kDTypes, gradient);
  check_images(kName, gradient);
  check_size(kName, size);
  const DType dtype = gradient.dtype == float64 ? float64 : float32;
  return {Spec{dtype, with_size(gradient.shape, size)}};
}

Attributes Resize::attributes() const {
  Attributes attributes = attributes_of(*this);
  attributes.emplace_back("size", size);
  return attributes;
}
Attributes ResizeGradient::attributes() const {
  Attributes attributes = attributes_of(*this);
  attributes.emplace_back("size", size);
  return attributes;
}

Cost Resize::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  return cost_of(inputs, outputs, *this);
}
Cost ResizeGradient::cost(SpecRefs inputs, std::span<const Spec> outputs) const {
  return cost_of(inputs, outputs, *this);
}

Gradients Resize::gradient(const Recorded& call) const {
  const Spec& images = call.input_spec();
  ResizeOptions options = *this;
  options.preserve_aspect_ratio = false;  // the gradient has the size that came out
  if (!is_floating(images.dtype)) return {Tensor()};
  return {cast(resize_gradient(call.dy(), size_of(images.shape), options), images.dtype)};
}

Gradients ResizeGradient::gradient(const Recorded& call) const {
  const Spec& dy = call.input_spec();
  return {cast(resize(call.dy(), size_of(dy.shape), *this), dy.dtype)};
}

Tensors Resize::batched(std::span<const BatchedInput> inputs, int64_t count) const {
  return batching::with_leading(*this, inputs, count);
}
Tensors ResizeGradient::batched(std::span<const BatchedInput> inputs, int64_t count) const {
  return batching::with_leading(*this, inputs, count);
}

}  // namespace alula
