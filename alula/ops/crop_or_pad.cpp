#include "alula/ops/crop_or_pad.h"

#include "alula/ops/batching.h"

namespace alula {
namespace {

const RegisterOp<CropOrPad> registered;

}  // namespace

Framing::Part Framing::of(const char* who, const char* dimension, int64_t dim) const {
  switch (kind_) {
    case Kind::kAt: break;
    case Kind::kCrop:
      require(begin_ >= 0 && begin_ <= dim && size_ <= dim - begin_,
              "{}: the {} is {}, and {} from {} on go beyond it.", who, dimension, dim, size_,
              begin_);
      break;
    case Kind::kPad:
      require(begin_ <= 0 && size_ + begin_ >= dim,
              "{}: the {} of {} must fit into {} with {} before it.", who, dimension, dim, size_,
              -begin_);
      break;
    case Kind::kCentral:  // an odd one is left over at the end
      return {size_ < dim ? (dim - size_) / 2 : -((size_ - dim) / 2), size_};
    case Kind::kMiddle: {
      const auto exact = static_cast<double>(dim);
      const auto begin = static_cast<int64_t>((exact - exact * fraction_) / 2);
      return {begin, dim - 2 * begin};
    }
  }
  return {begin_, size_};
}

int64_t Framing::size_of(const char* who, const char* dimension, int64_t dim) const {
  if (dim == kUnknown) return kind_ == Kind::kMiddle ? kUnknown : size_;
  return of(who, dimension, dim).size;
}

std::string to_string(const Framing& framing) {
  using Kind = Framing::Kind;
  switch (framing.kind_) {
    case Kind::kAt: return fmt::format("at({},{})", framing.begin_, framing.size_);
    case Kind::kCrop: return fmt::format("crop({},{})", framing.begin_, framing.size_);
    case Kind::kPad: return fmt::format("pad({},{})", -framing.begin_, framing.size_);
    case Kind::kCentral: return fmt::format("central({})", framing.size_);
    case Kind::kMiddle: break;
  }
  return fmt::format("middle({})", framing.fraction_);
}

Tensor crop_or_pad(const Tensor& images, const Framing& height, const Framing& width) {
  return call(CropOrPad(height, width), images);
}

Specs CropOrPad::infer(SpecRefs inputs) const {
  const Spec& images = inputs[0];
  require(kDTypes.contains(images.dtype), "{}: takes {}. Got {}.", kName, kDTypes, images);
  const int rank = images.rank();
  require(rank >= 3, "{}: images are [..., height, width, channels]. Got {}.", kName, images);
  Shape shape = images.shape;
  shape[rank - 3] = height.size_of(kName, "height", shape[rank - 3]);
  shape[rank - 2] = width.size_of(kName, "width", shape[rank - 2]);
  for (const int axis : {rank - 3, rank - 2})
    require(shape[axis] >= kUnknown, "{}: the result's size must not be negative. Got {}.", kName,
            shape[axis]);
  return {images.with(shape)};
}

Attributes CropOrPad::attributes() const { return {{"height", height}, {"width", width}}; }

/// The same window seen from the other side.
Gradients CropOrPad::gradient(const Recorded& call) const {
  const Shape& shape = call.input_spec().shape;
  const int64_t h = shape[shape.rank() - 3], w = shape[shape.rank() - 2];
  return {crop_or_pad(call.dy(), Framing::at(-height.of(kName, "height", h).begin, h),
                      Framing::at(-width.of(kName, "width", w).begin, w))};
}

Tensors CropOrPad::batched(std::span<const BatchedInput> inputs, int64_t size) const {
  return batching::with_leading(*this, inputs, size);
}

}  // namespace alula
