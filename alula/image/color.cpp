#include "alula/image/color.h"

#include <array>

#include "alula/image/check.h"
#include "alula/ops/concat.h"
#include "alula/ops/operators.h"
#include "alula/ops/random.h"
#include "alula/ops/split.h"
#include "alula/ops/tile.h"

namespace alula::scalar {
namespace {

/// Three numbers: red, green and blue, or hue, saturation and value.
template <class T>
using Three = std::array<T, 3>;

/// Where a colour lies: its hue in [0, 6), the least and the largest of red, green and blue.
template <class T>
struct Place {
  T hue, low, high;
};

template <class T>
Place<T> place_of(const Three<T>& rgb) {
  const auto [r, g, b] = rgb;
  const T high = max(max(r, g), b), low = min(min(r, g), b), range = high - low;
  const T scale = 1 / select(range > 0, range, 1);  // a grey has the hue 0
  const T hue = select(high == r, (g - b) * scale,
                       select(high == g, (b - r) * scale + 2, (r - g) * scale + 4));
  return {select(hue < 0, hue + 6, hue), low, high};
}

/// How much of the way from the least to the largest of the three each of them goes at a hue.
template <class T>
Three<T> shares_of(T hue) {
  const auto cut = [](T x) { return min(max(x, 0), 1); };
  return {cut(abs(hue - 3) - 1), cut(2 - abs(hue - 2)), cut(2 - abs(hue - 4))};
}

template <class T>
T saturation_of(const Place<T>& place) {
  return select(place.high > 0, (place.high - place.low) / select(place.high > 0, place.high, 1),
                0);
}

template <class T>
Three<T> colour(T hue, T low, T high) {
  Three<T> shares = shares_of(hue);
  for (T& share : shares) share = low + (high - low) * share;
  return shares;
}

template <class T>
Three<T> rgb_to_hsv(const Three<T>& rgb) {
  const Place<T> place = place_of(rgb);
  return {place.hue / 6, saturation_of(place), place.high};
}

template <class T>
Three<T> hsv_to_rgb(const Three<T>& hsv) {
  const auto [h, s, v] = hsv;
  return colour(h * 6, (1 - s) * v, v);
}

template <class T>
Three<T> adjust_hue(const Three<T>& rgb, T delta) {
  const Place<T> place = place_of(rgb);
  const T turned = place.hue + delta * 6;
  return colour(turned - floor(turned / 6) * 6, place.low, place.high);
}

template <class T>
Three<T> adjust_saturation(const Three<T>& rgb, T factor) {
  const Place<T> place = place_of(rgb);
  const T saturation = min(max(saturation_of(place) * factor, 0), 1);
  return colour(place.hue, (1 - saturation) * place.high, place.high);
}

}  // namespace
}  // namespace alula::scalar

namespace alula::image {
namespace {

using internal::adjusted;
using internal::as_amount;
using internal::check_channels;
using internal::random_factor;
using Colour = scalar::Three<Scalar>;

/// A function of a colour as a program: of three planes, and of an amount where it takes one.
class ColourFunction {
 public:
  ColourFunction(const char* name, Colour (*f)(const Colour&)) : name_(name), plain_(f) {}
  ColourFunction(const char* name, Colour (*f)(const Colour&, Scalar))
      : name_(name), with_amount_(f) {}

  /// `amount`: undefined if the function takes none.
  Tensor operator()(const Tensor& images, const Tensor& amount = {}) const {
    Tensors planes = unstack(images, -1);
    if (amount.defined()) planes.push_back(amount);
    const Tensors result = call_all(ElementwiseOp(program(images.dtype())), planes);
    return stack(std::span(result.begin(), result.end()), -1);
  }

 private:
  /// Made when it is first needed, and then kept.
  const scalar::Program& program(DType dtype) const {
    std::atomic<const scalar::Program*>& slot = programs_[static_cast<int>(dtype)];
    if (const scalar::Program* found = slot.load(std::memory_order_acquire)) return *found;
    scalar::Builder builder;
    Colour colour = {builder.input(dtype), builder.input(dtype), builder.input(dtype)};
    const Colour result =
        plain_ != nullptr ? plain_(colour) : with_amount_(colour, builder.input(dtype));
    std::unique_ptr<scalar::Program> made = builder.finish(name_, result);
    const scalar::Program* expected = nullptr;
    if (slot.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel))
      return *made.release();
    return *expected;  // another thread was faster
  }

  const char* name_;
  Colour (*plain_)(const Colour&) = nullptr;
  Colour (*with_amount_)(const Colour&, Scalar) = nullptr;
  mutable std::array<std::atomic<const scalar::Program*>, kDTypeCount> programs_{};
};

const ColourFunction kRgbToHsv("rgb_to_hsv", &scalar::rgb_to_hsv<Scalar>);
const ColourFunction kHsvToRgb("hsv_to_rgb", &scalar::hsv_to_rgb<Scalar>);
const ColourFunction kAdjustHue("adjust_hue", &scalar::adjust_hue<Scalar>);
const ColourFunction kAdjustSaturation("adjust_saturation", &scalar::adjust_saturation<Scalar>);

void check_floating(const char* who, const Tensor& images) {
  check_channels(who, images, 3);
  require(is_floating(images.dtype()), "{}: takes {}. Got {}. Use convert_image_dtype().", who,
          kFloating, images.spec());
}

}  // namespace

Tensor rgb_to_hsv(const Tensor& images) {
  check_floating("rgb_to_hsv", images);
  return kRgbToHsv(images);
}

Tensor hsv_to_rgb(const Tensor& images) {
  check_floating("hsv_to_rgb", images);
  return kHsvToRgb(images);
}

Tensor adjust_hue(const Tensor& image, const Argument& delta) {
  constexpr const char* kName = "adjust_hue";
  check_channels(kName, image, 3);
  return adjusted(kName, image, [&](const Tensor& x) {
    return kAdjustHue(x, as_amount(delta, x.dtype(), kName));
  });
}

Tensor random_hue(const Tensor& image, double max_delta, const RandomOptions& options) {
  require(max_delta >= 0 && max_delta <= 0.5,
          "random_hue: max_delta must be between 0 and 0.5. Got {}.", max_delta);
  return adjust_hue(
      image,
      random::uniform({}, {.minval = -max_delta, .maxval = max_delta, .seed = options.seed}));
}

Tensor adjust_saturation(const Tensor& image, const Argument& saturation_factor) {
  constexpr const char* kName = "adjust_saturation";
  check_channels(kName, image, 3);
  return adjusted(kName, image, [&](const Tensor& x) {
    return kAdjustSaturation(x, as_amount(saturation_factor, x.dtype(), kName));
  });
}

Tensor random_saturation(const Tensor& image, const RandomFactorOptions& options) {
  return adjust_saturation(image, random_factor("random_saturation", options));
}

Tensor rgb_to_grayscale(const Tensor& images) {
  check_channels("rgb_to_grayscale", images, 3);
  const Tensors planes = split(convert_image_dtype(images, float32), 3, -1);
  const Tensor gray = planes[0] * 0.2989F + planes[1] * 0.587F + planes[2] * 0.114F;
  return convert_image_dtype(gray, images.dtype());
}

Tensor grayscale_to_rgb(const Tensor& images) {
  check_channels("grayscale_to_rgb", images, 1);
  Ints multiples;
  for (int i = 0; i < images.rank(); ++i) multiples.push_back(i + 1 == images.rank() ? 3 : 1);
  return tile(images, multiples);
}

}  // namespace alula::image
