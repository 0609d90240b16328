// Which neighbours a resized dimension's positions are made of, by each of TensorFlow's methods.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "alula/ops/resize.h"

namespace alula {
namespace {

/// A position's neighbours, some of which may be outside: these have no weight.
struct Neighbours {
  int64_t first;
  std::vector<float> weights;
};

/// The same for all positions, as taps of one count: neighbours outside are left out, so that what
/// is left must lie within the dimension.
ResizeTaps taps_of(const std::vector<Neighbours>& all, int64_t from) {
  ResizeTaps taps;
  for (const Neighbours& n : all) {
    const int64_t begin = std::max<int64_t>(n.first, 0);
    const int64_t end = std::min(n.first + static_cast<int64_t>(n.weights.size()), from);
    taps.count = std::max(taps.count, end - begin);
  }
  taps.count = std::max<int64_t>(taps.count, 1);
  for (const Neighbours& n : all) {
    const int64_t first = std::clamp<int64_t>(n.first, 0, from - taps.count);
    taps.first.push_back(first);
    for (int64_t i = first; i < first + taps.count; ++i) {
      const int64_t k = i - n.first;
      const bool there = k >= 0 && k < static_cast<int64_t>(n.weights.size());
      taps.weights.push_back(there ? n.weights[static_cast<size_t>(k)] : 0);
    }
  }
  return taps;
}

/// The weights made to add up to 1.
void normalize(std::vector<float>& weights) {
  float sum = 0;
  for (float weight : weights) sum += weight;
  if (std::abs(sum) < 1000 * std::numeric_limits<float>::min()) return;
  for (float& weight : weights) weight *= 1 / sum;
}

/// Where the centre of a position is, in positions of the images.
float centre(int64_t position, float scale) {
  return (static_cast<float>(position) + 0.5F) * scale - 0.5F;
}

ResizeTaps bilinear(int64_t from, int64_t to, float scale) {
  if (from == 1) return {1, std::vector<int64_t>(to, 0), std::vector<float>(to, 1), false};
  ResizeTaps taps{.count = 2, .blends = true};
  for (int64_t i = 0; i < to; ++i) {
    const float at = centre(i, scale), low = std::floor(at);
    const auto first = static_cast<int64_t>(low);
    const float share = first < 0 ? 0 : first >= from - 1 ? 1 : at - low;
    taps.first.push_back(std::clamp<int64_t>(first, 0, from - 2));
    taps.weights.insert(taps.weights.end(), {1 - share, share});
  }
  return taps;
}

ResizeTaps nearest(int64_t from, int64_t to, float scale) {
  ResizeTaps taps{.count = 1, .weights = std::vector<float>(to, 1)};
  for (int64_t i = 0; i < to; ++i) {
    const float at = (static_cast<float>(i) + 0.5F) * scale;
    taps.first.push_back(std::clamp<int64_t>(static_cast<int64_t>(std::floor(at)), 0, from - 1));
  }
  return taps;
}

/// Keys's cubic with a = -0.5, at a distance.
float keys_cubic(float x) {
  if (x >= 2) return 0;
  if (x >= 1) return ((-0.5F * x + 2.5F) * x - 4) * x + 2;
  return (1.5F * x - 2.5F) * x * x + 1;
}

/// Between two pixels, TensorFlow knows 1024 places.
ResizeTaps bicubic(int64_t from, int64_t to, float scale) {
  constexpr float kPlaces = 1024;
  std::vector<Neighbours> all;
  for (int64_t i = 0; i < to; ++i) {
    const float at = centre(i, scale), low = std::floor(at);
    const float share = std::nearbyint((at - low) * kPlaces) / kPlaces;
    Neighbours n{
        static_cast<int64_t>(low) - 1,
        {keys_cubic(1 + share), keys_cubic(share), keys_cubic(1 - share), keys_cubic(2 - share)}};
    for (int64_t k = 0; k < 4; ++k)
      if (n.first + k < 0 || n.first + k >= from) n.weights[static_cast<size_t>(k)] = 0;
    normalize(n.weights);
    all.push_back(std::move(n));
  }
  return taps_of(all, from);
}

ResizeTaps area(int64_t from, int64_t to, float scale) {
  std::vector<Neighbours> all;
  for (int64_t i = 0; i < to; ++i) {
    const float begin = static_cast<float>(i) * scale, end = static_cast<float>(i + 1) * scale;
    const int64_t first = std::min(static_cast<int64_t>(std::floor(begin)), from - 1);
    const auto last = std::max(static_cast<int64_t>(std::ceil(end)), first + 1);
    Neighbours n{first, {}};
    for (int64_t k = first; k < last; ++k) {
      const auto left = static_cast<float>(k);
      const float covered = std::min(end, left + 1) - std::max(begin, left);
      if (k < from)
        n.weights.push_back(covered / scale);
      else  // rounding went beyond the end, where the last pixel goes on
        n.weights.back() += covered / scale;
    }
    all.push_back(std::move(n));
  }
  return taps_of(all, from);
}

/// A function of the distance, and the distance from which on it is 0.
struct Filter {
  float (*weight)(float distance);
  float radius;
};

template <int kRadius>
float lanczos(float x) {
  constexpr auto kPi = std::numbers::pi_v<float>;
  if (x > kRadius) return 0;
  if (x <= 1e-3F) return 1;
  return kRadius * std::sin(kPi * x) * std::sin(kPi * x / kRadius) / (kPi * kPi * x * x);
}

float gaussian(float x) { return x >= 1.5F ? 0 : std::exp(-x * x / (2 * 0.5F * 0.5F)); }

float triangle(float x) { return x < 1 ? 1 - x : 0; }

float mitchell_cubic(float x) {
  if (x >= 2) return 0;
  if (x >= 1) return (((-7.0F / 18 * x) + 2) * x - 10.0F / 3) * x + 16.0F / 9;
  return ((7.0F / 6 * x) - 2) * x * x + 8.0F / 9;
}

Filter filter_of(ResizeMethod method) {
  switch (method.kind) {
    case ResizeMethod::kBicubic: return {keys_cubic, 2};
    case ResizeMethod::kLanczos3: return {lanczos<3>, 3};
    case ResizeMethod::kLanczos5: return {lanczos<5>, 5};
    case ResizeMethod::kGaussian: return {gaussian, 1.5F};
    case ResizeMethod::kMitchellCubic: return {mitchell_cubic, 2};
    default: return {triangle, 1};
  }
}

/// The filter laid over the images. For a smaller result, antialiasing makes it as much wider.
ResizeTaps filtered(int64_t from, float scale, const ResizeOptions& options, int64_t to) {
  const Filter filter = filter_of(options.method);
  const float wider = options.antialias ? std::max(scale, 1.0F) : 1;
  const float radius = filter.radius * wider;
  std::vector<Neighbours> all;
  for (int64_t i = 0; i < to; ++i) {
    const float at = (static_cast<float>(i) + 0.5F) * scale;
    const auto inside = [&](float x) {
      return std::clamp<int64_t>(static_cast<int64_t>(x), 0, from - 1);
    };
    const int64_t first = inside(std::ceil(at - radius - 0.5F));
    const int64_t last = inside(std::floor(at + radius - 0.5F));
    Neighbours n{first, {}};
    for (int64_t k = first; k <= last; ++k)
      n.weights.push_back(filter.weight(std::abs((static_cast<float>(k) + 0.5F - at) / wider)));
    normalize(n.weights);
    all.push_back(std::move(n));
  }
  return taps_of(all, from);
}

}  // namespace

ResizeTaps ResizeTaps::of(int64_t from, int64_t to, const ResizeOptions& options) {
  const float scale = static_cast<float>(from) / static_cast<float>(to);
  switch (options.method.kind) {
    case ResizeMethod::kNearest: return nearest(from, to, scale);
    case ResizeMethod::kArea: return area(from, to, scale);
    case ResizeMethod::kBilinear:
      if (!options.antialias) return bilinear(from, to, scale);
      break;
    case ResizeMethod::kBicubic:
      if (!options.antialias) return bicubic(from, to, scale);
      break;
    default: break;
  }
  return filtered(from, scale, options, to);
}

/// What an element gives to lies side by side, since positions are in order.
ResizeTaps ResizeTaps::transposed(int64_t from) const {
  std::vector<Neighbours> all(static_cast<size_t>(from), {0, {}});
  const auto to = static_cast<int64_t>(first.size());
  for (int64_t i = 0; i < to; ++i)
    for (int64_t k = 0; k < count; ++k) {
      const float weight = weights[static_cast<size_t>(i * count + k)];
      if (weight == 0) continue;
      Neighbours& n = all[static_cast<size_t>(first[static_cast<size_t>(i)] + k)];
      if (n.weights.empty()) n.first = i;
      n.weights.resize(static_cast<size_t>(i - n.first), 0);
      n.weights.push_back(weight);
    }
  return taps_of(all, to);
}

}  // namespace alula
