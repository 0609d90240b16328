// batch_norm and its gradient: one pass over memory for the statistics, one for the result.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "alula/backends/cpu/along_axis.h"
#include "alula/backends/cpu/convert.h"
#include "alula/backends/cpu/targets.h"
#include "alula/ops/batch_norm.h"
#include "alula/runtime/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "alula/backends/cpu/batch_norm_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

constexpr int64_t kTile = 8192;  // elements: they stay in the first or second cache
constexpr int64_t kLanes = 32;   // sums side by side, so that the compiler uses vectors
/// The width of tiles of one channel, known when this is compiled.
constexpr std::integral_constant<int64_t, kLanes> kOneChannel;

/// How x is cut into tiles. If the channels are the last axis, a tile is some rows of all channels,
/// and element i of it belongs to channel i % channels. Otherwise a tile is `inner` elements of one
/// channel.
struct Layout {
  bool last = true;
  int64_t channels = 0;
  int64_t size = 0;   // of x
  int64_t step = 0;   // of a tile, except perhaps the last one
  int64_t tiles = 0;  // all of them
  int64_t width = 0;  // of the sums: in a tile, elements `width` apart are added up
  double count = 0;   // elements a channel

  Layout(const Shape& shape, int64_t axis) {
    const AlongAxis along(shape, axis);
    channels = along.length;
    size = along.outer * along.length * along.inner;
    last = along.inner == 1;
    const int64_t some = std::max<int64_t>(1, channels);
    step = last ? channels * std::max<int64_t>(1, kTile / some) : along.inner;
    tiles = size == 0 ? 0 : (size + step - 1) / step;
    width = last ? channels * ((2 * kLanes + channels - 1) / some) : kLanes;
    count = static_cast<double>(along.outer * along.inner);
  }
  /// How many sums a tile makes, and the channel of the first.
  int64_t results() const { return last ? channels : 1; }
  int64_t channel(int64_t tile) const { return last ? 0 : tile % channels; }
  int64_t length(int64_t tile) const { return std::min(step, size - tile * step); }
  /// Elements a channel in a tile of that length.
  double rows(int64_t length) const {
    return static_cast<double>(last ? length / channels : length);
  }
};

/// Calls body(begin, end) for ranges of tiles, whose elements take `nanoseconds` each.
template <class Body>
void share(const Layout& layout, double nanoseconds, const Body& body) {
  team::parallel_for(layout.tiles, nanoseconds * static_cast<double>(layout.step), body);
}

/// Calls body(i, lane) for the elements of a tile, in stretches of `width`: a number, or
/// kOneChannel.
template <class Width, class Body>
HWY_INLINE void each_element(int64_t length, Width width, const Body& body) {
  int64_t i = 0;
  for (; i + width <= length; i += width)
    for (int64_t l = 0; l < width; ++l) body(i + l, l);
  for (int64_t l = 0; i + l < length; ++l) body(i + l, l);
}

/// Adds up the sums that belong to one channel.
template <class F>
void fold(const Layout& layout, const F* sums, double* out) {
  if (!layout.last) {
    double parts[4] = {};
    for (int64_t l = 0; l < kLanes; l += 4)
      for (int64_t k = 0; k < 4; ++k) parts[k] += static_cast<double>(sums[l + k]);
    out[0] = (parts[0] + parts[1]) + (parts[2] + parts[3]);
    return;
  }
  const int64_t n = layout.channels;
  std::fill_n(out, n, 0.0);
  for (int64_t at = 0; at < layout.width; at += n)
    for (int64_t c = 0; c < n; ++c) out[c] += static_cast<double>(sums[at + c]);
}

/// A number a channel, repeated to the width of the sums.
template <class F>
void spread(const Layout& layout, const F* values, F* out) {
  for (int64_t at = 0; at < layout.width; at += layout.channels)
    std::copy_n(values, layout.channels, out + at);
}

/// Mean, and sum of squared distances from it, of what a tile has of each channel. The first guess
/// of the mean is rounded; distances from it are small, so that their own sum says how far it is
/// off.
template <class F, class Width>
void tile_moments(const Layout& layout, Width width, const F* HWY_RESTRICT x, int64_t length,
                  F* HWY_RESTRICT room, double* mean, double* squares) {
  const int64_t n = layout.results();
  F* HWY_RESTRICT sums = room;
  F* HWY_RESTRICT products = room + width;
  F* HWY_RESTRICT guesses = room + 2 * width;
  std::fill_n(sums, static_cast<int64_t>(width), F(0));
  each_element(length, width, [&](int64_t i, int64_t l) { sums[l] += x[i]; });
  fold(layout, sums, mean);
  const double rows = layout.rows(length);
  for (int64_t at = 0; at < width; at += n)
    for (int64_t c = 0; c < n; ++c) guesses[at + c] = static_cast<F>(mean[c] / rows);
  std::fill_n(sums, 2 * width, F(0));
  each_element(length, width, [&](int64_t i, int64_t l) {
    const F distance = x[i] - guesses[l];
    sums[l] += distance;
    products[l] += distance * distance;
  });
  fold(layout, sums, mean);
  fold(layout, products, squares);
  for (int64_t c = 0; c < n; ++c) {
    const double off = mean[c] / rows;
    const double left = squares[c] - off * mean[c];
    squares[c] = left < 0 ? 0 : left;  // NaN stays
    mean[c] = static_cast<double>(guesses[c]) + off;
  }
}

/// Puts the means and squares of the tiles together, by the method of Chan, Golub and LeVeque: in
/// double, and in the same order whatever the number of threads.
void combine(const Layout& layout, const double* parts, double* mean, double* variance) {
  const int64_t n = layout.results();
  // Of nothing there is no mean.
  const double start = layout.count == 0 ? std::numeric_limits<double>::quiet_NaN() : 0;
  std::fill_n(mean, layout.channels, start);
  std::fill_n(variance, layout.channels, start);
  std::vector<double> seen(layout.channels, 0);  // elements, by the first channel
  for (int64_t tile = 0; tile < layout.tiles; ++tile) {
    const int64_t first = layout.channel(tile);
    const double* part = parts + 2 * n * tile;
    const double rows = layout.rows(layout.length(tile));
    const double share = rows / (seen[first] + rows), weight = seen[first] * share;
    for (int64_t c = 0; c < n; ++c) {
      const double distance = part[c] - mean[first + c];
      mean[first + c] += distance * share;
      variance[first + c] += part[n + c] + distance * distance * weight;
    }
    seen[first] += rows;
  }
  for (int64_t c = 0; c < layout.channels; ++c) variance[c] /= std::max(layout.count, 1.0);
}

/// Mean and variance of each channel.
template <class F>
void moments(const Layout& layout, const F* x, double* mean, double* variance) {
  const int64_t n = layout.results();
  const Scratch<double> parts(2 * n * layout.tiles);
  share(layout, 0.2, [&](int64_t begin, int64_t end) {
    const Scratch<F> room(3 * layout.width);
    for (int64_t tile = begin; tile < end; ++tile) {
      const F* from = x + tile * layout.step;
      double* part = parts.data() + 2 * n * tile;
      const int64_t length = layout.length(tile);
      if (layout.last)
        tile_moments(layout, layout.width, from, length, room.data(), part, part + n);
      else
        tile_moments(layout, kOneChannel, from, length, room.data(), part, part + n);
    }
  });
  combine(layout, parts.data(), mean, variance);
}

/// y = (x - mean) * factor + shift, the last three by channel.
template <class F>
void apply(const Layout& layout, const F* x, const F* mean, const F* factor, const F* shift, F* y) {
  share(layout, 0.15, [&](int64_t begin, int64_t end) {
    const Scratch<F> room(3 * layout.width);
    F* HWY_RESTRICT means = room.data();
    F* HWY_RESTRICT factors = means + layout.width;
    F* HWY_RESTRICT shifts = factors + layout.width;
    if (layout.last) {
      spread(layout, mean, means);
      spread(layout, factor, factors);
      spread(layout, shift, shifts);
    }
    for (int64_t tile = begin; tile < end; ++tile) {
      const F* HWY_RESTRICT in = x + tile * layout.step;
      F* HWY_RESTRICT out = y + tile * layout.step;
      const int64_t length = layout.length(tile), c = layout.channel(tile);
      const F m = mean[c], f = factor[c], b = shift[c];
      if (layout.last)
        each_element(length, layout.width, [&](int64_t i, int64_t l) {
          out[i] = (in[i] - means[l]) * factors[l] + shifts[l];
        });
      else
        for (int64_t i = 0; i < length; ++i) out[i] = (in[i] - m) * f + b;
    }
  });
}

template <class F>
void forward(const Layout& layout, double epsilon, const F* x, const F* gamma, const F* beta, F* y,
             F* mean_out, F* variance_out) {
  const int64_t channels = layout.channels;
  const Scratch<double> statistics(2 * channels);
  double *mean = statistics.data(), *variance = mean + channels;
  moments(layout, x, mean, variance);
  std::vector<F> factor(channels), shift(channels);
  for (int64_t c = 0; c < channels; ++c) {
    mean_out[c] = static_cast<F>(mean[c]);
    variance_out[c] = static_cast<F>(variance[c]);
    factor[c] = static_cast<F>((gamma != nullptr ? static_cast<double>(gamma[c]) : 1.0) /
                               std::sqrt(variance[c] + epsilon));
    shift[c] = beta != nullptr ? beta[c] : F(0);
  }
  apply<F>(layout, x, mean_out, factor.data(), shift.data(), y);
}

/// sum(dy) and sum(dy * (x - mean)) of each channel.
template <class F>
void gradient_sums(const Layout& layout, const F* x, const F* mean, const F* dy, double* sum_dy,
                   double* sum_dyx) {
  const int64_t n = layout.results();
  const Scratch<double> parts(2 * n * layout.tiles);
  share(layout, 0.25, [&](int64_t begin, int64_t end) {
    const Scratch<F> room(3 * layout.width);
    F* HWY_RESTRICT means = room.data();
    F* HWY_RESTRICT sums = means + layout.width;
    F* HWY_RESTRICT products = sums + layout.width;
    if (layout.last) spread(layout, mean, means);
    for (int64_t tile = begin; tile < end; ++tile) {
      std::fill_n(sums, 2 * layout.width, F(0));
      const F* HWY_RESTRICT in = x + tile * layout.step;
      const F* HWY_RESTRICT above = dy + tile * layout.step;
      const F m = mean[layout.channel(tile)];
      const auto add = [&](int64_t i, int64_t l, F around) {
        sums[l] += above[i];
        products[l] += above[i] * (in[i] - around);
      };
      if (layout.last)
        each_element(layout.length(tile), layout.width,
                     [&](int64_t i, int64_t l) { add(i, l, means[l]); });
      else
        each_element(layout.length(tile), kOneChannel, [&](int64_t i, int64_t l) { add(i, l, m); });
      fold(layout, sums, parts.data() + 2 * n * tile);
      fold(layout, products, parts.data() + 2 * n * tile + n);
    }
  });
  std::fill_n(sum_dy, layout.channels, 0.0);
  std::fill_n(sum_dyx, layout.channels, 0.0);
  for (int64_t tile = 0; tile < layout.tiles; ++tile) {
    const int64_t first = layout.channel(tile);
    const double* part = parts.data() + 2 * n * tile;
    for (int64_t c = 0; c < n; ++c) {
      sum_dy[first + c] += part[c];
      sum_dyx[first + c] += part[n + c];
    }
  }
}

/// dx = factor * dy - level - (x - mean) * slope, all but x and dy by channel.
template <class F>
void apply_gradient(const Layout& layout, const F* x, const F* dy, const F* mean, const F* factor,
                    const F* level, const F* slope, F* dx) {
  share(layout, 0.2, [&](int64_t begin, int64_t end) {
    const Scratch<F> room(4 * layout.width);
    F* HWY_RESTRICT means = room.data();
    F* HWY_RESTRICT factors = means + layout.width;
    F* HWY_RESTRICT levels = factors + layout.width;
    F* HWY_RESTRICT slopes = levels + layout.width;
    if (layout.last) {
      spread(layout, mean, means);
      spread(layout, factor, factors);
      spread(layout, level, levels);
      spread(layout, slope, slopes);
    }
    for (int64_t tile = begin; tile < end; ++tile) {
      const F* HWY_RESTRICT in = x + tile * layout.step;
      const F* HWY_RESTRICT above = dy + tile * layout.step;
      F* HWY_RESTRICT out = dx + tile * layout.step;
      const int64_t length = layout.length(tile), c = layout.channel(tile);
      const F m = mean[c], f = factor[c], b = level[c], s = slope[c];
      if (layout.last)
        each_element(length, layout.width, [&](int64_t i, int64_t l) {
          out[i] = above[i] * factors[l] - levels[l] - (in[i] - means[l]) * slopes[l];
        });
      else
        for (int64_t i = 0; i < length; ++i) out[i] = above[i] * f - b - (in[i] - m) * s;
    }
  });
}

template <class F>
void backward(const Layout& layout, double epsilon, const F* x, const F* mean, const F* variance,
              const F* dy, const F* gamma, F* dx, F* dgamma, F* dbeta) {
  const int64_t channels = layout.channels;
  const Scratch<double> sums(2 * channels);
  double *sum_dy = sums.data(), *sum_dyx = sum_dy + channels;
  gradient_sums(layout, x, mean, dy, sum_dy, sum_dyx);
  std::vector<F> factor(channels), level(channels), slope(channels);
  for (int64_t c = 0; c < channels; ++c) {
    const double inverse = 1 / std::sqrt(static_cast<double>(variance[c]) + epsilon);
    const double f = inverse * (gamma != nullptr ? static_cast<double>(gamma[c]) : 1.0);
    dgamma[c] = layout.count == 0 ? F(0) : static_cast<F>(sum_dyx[c] * inverse);  // of nothing, 0
    dbeta[c] = static_cast<F>(sum_dy[c]);
    factor[c] = static_cast<F>(f);
    level[c] = static_cast<F>(f * sum_dy[c] / layout.count);
    slope[c] = static_cast<F>(f * inverse * inverse * sum_dyx[c] / layout.count);
  }
  apply_gradient<F>(layout, x, dy, mean, factor.data(), level.data(), slope.data(), dx);
}

/// Elements in the type that is computed in: a copy if they are of 16 bits.
template <class T, class F>
class Widened {
 public:
  explicit Widened(const View& view) : view_(view), copy_(kCopies ? view.size() : 0) {}
  const F* read() const {
    if constexpr (kCopies) convert(copy_.data(), view_.as<const T>(), view_.size());
    return write();
  }
  F* write() const {
    if constexpr (kCopies)
      return copy_.data();
    else
      return view_.as<F>();
  }
  void finish() const {
    if constexpr (kCopies) convert(view_.as<T>(), copy_.data(), view_.size());
  }

 private:
  static constexpr bool kCopies = !std::is_same_v<T, F>;
  View view_;
  Scratch<F> copy_;
};

template <class T>
void run_forward(const BatchNorm& op, const KernelCall& call) {
  using F = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
  const bool scaled = call.inputs.size() > 1;
  const Widened<T, F> x(call.inputs[0]), y(call.outputs[0]);
  forward<F>(Layout(call.inputs[0].shape(), op.axis), op.epsilon, x.read(),
             scaled ? call.inputs[1].as<const F>() : nullptr,
             scaled ? call.inputs[2].as<const F>() : nullptr, y.write(), call.outputs[1].as<F>(),
             call.outputs[2].as<F>());
  y.finish();
}

template <class T>
void run_backward(const BatchNormGradient& op, const KernelCall& call) {
  using F = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
  const Widened<T, F> x(call.inputs[0]), dy(call.inputs[3]), dx(call.outputs[0]);
  backward<F>(Layout(call.inputs[0].shape(), op.axis), op.epsilon, x.read(),
              call.inputs[1].as<const F>(), call.inputs[2].as<const F>(), dy.read(),
              call.inputs.size() > 4 ? call.inputs[4].as<const F>() : nullptr, dx.write(),
              call.outputs[1].as<F>(), call.outputs[2].as<F>());
  dx.finish();
}

void RunBatchNorm(const BatchNorm& op, const KernelCall& call) {
  switch (call.inputs[0].dtype()) {
    case DType::kFloat16: return run_forward<Half>(op, call);
    case DType::kBFloat16: return run_forward<BFloat16>(op, call);
    case DType::kFloat32: return run_forward<float>(op, call);
    default: return run_forward<double>(op, call);
  }
}

void RunBatchNormGradient(const BatchNormGradient& op, const KernelCall& call) {
  switch (call.inputs[0].dtype()) {
    case DType::kFloat16: return run_backward<Half>(op, call);
    case DType::kBFloat16: return run_backward<BFloat16>(op, call);
    case DType::kFloat32: return run_backward<float>(op, call);
    default: return run_backward<double>(op, call);
  }
}

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alula::cpu {
namespace {

HWY_EXPORT(RunBatchNorm);
HWY_EXPORT(RunBatchNormGradient);

const RegisterKernel<DeviceType::kCPU, BatchNorm> batch_norm{
    [](const BatchNorm& op, const KernelCall& call) {
      HWY_DYNAMIC_DISPATCH(RunBatchNorm)(op, call);
    }};
const RegisterKernel<DeviceType::kCPU, BatchNormGradient> batch_norm_gradient{
    [](const BatchNormGradient& op, const KernelCall& call) {
      HWY_DYNAMIC_DISPATCH(RunBatchNormGradient)(op, call);
    }};

}  // namespace
}  // namespace alula::cpu
#endif
