// Pooling: plain loops over rows and channels that the compiler vectorises.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "alula/backends/cpu/convert.h"
#include "alula/backends/cpu/pool2d.h"
#include "alula/backends/cpu/pool2d_positions.h"
#include "alula/backends/cpu/scratch.h"
#include "alula/backends/cpu/targets.h"
#include "alula/runtime/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "alula/backends/cpu/pool2d_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

template <class S>
using Computed = std::conditional_t<std::is_arithmetic_v<S>, S, float>;

/// to = the larger of both, where NaN is larger than anything; or their sum.
template <Pool kPool, class T>
void combine(T* HWY_RESTRICT to, const T* HWY_RESTRICT with, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const T a = to[i], b = with[i];
    if constexpr (kPool == Pool::kMax)
      to[i] = a > b || a != a ? a : b;
    else
      to[i] = a + b;
  }
}

/// Rows are combined first, then columns: contiguous elements, and size + size steps instead of
/// size * size.
template <Pool kPool, class S>
class Pooling {
  using T = Computed<S>;
  static constexpr bool kConverts = !std::is_same_v<S, T>;

 public:
  Pooling(const PoolShape& shape, const S* input, S* output)
      : s_(shape), row_(shape.windows.x.input * shape.channels), input_(input), output_(output) {}

  void run() const {
    const int64_t rows = s_.batch * s_.windows.y.output;
    const double work = static_cast<double>(row_ * (s_.windows.y.size + s_.windows.x.size));
    team::parallel_for(rows, 0.05 * sizeof(T) * work, [this](int64_t begin, int64_t end) {
      const Scratch<T> combined(row_), converted(kConverts ? row_ : 0);
      const Scratch<T> window(s_.channels);
      for (int64_t i = begin; i < end; ++i)
        row(i, combined.data(), converted.data(), window.data());
    });
  }

 private:
  void row(int64_t index, T* combined, T* converted, T* window) const {
    const auto& [y, x] = s_.windows;
    const int64_t channels = s_.channels;
    const Inside rows = inside(y, index % y.output);
    const S* image = input_ + index / y.output * y.input * row_;
    const T* source = combine_rows(image + rows.from * row_, rows, combined, converted);
    S* out = output_ + index * x.output * channels;
    for (int64_t i = 0; i < x.output; ++i, out += channels) {
      const Inside columns = inside(x, i);
      T* to = window;
      if constexpr (!kConverts) to = out;
      start(to, source + columns.from * channels, columns.count() > 0, channels);
      for (int64_t j = columns.from + 1; j < columns.to; ++j)
        combine<kPool>(to, source + j * channels, channels);
      if constexpr (kPool == Pool::kAverage) {
        const T count = static_cast<T>(rows.count() * columns.count());
        for (int64_t c = 0; c < channels; ++c) to[c] /= count;
      }
      if constexpr (kConverts) convert(out, to, channels);
    }
  }

  /// A row of the image, or of several combined.
  const T* combine_rows(const S* from, Inside rows, T* combined, T* converted) const {
    if constexpr (!kConverts)
      if (rows.count() == 1) return from;
    if (rows.count() <= 0) {
      start<T>(combined, nullptr, false, row_);
      return combined;
    }
    convert(combined, from, row_);
    for (int64_t i = 1; i < rows.count(); ++i) {
      if constexpr (kConverts) {
        convert(converted, from + i * row_, row_);
        combine<kPool>(combined, converted, row_);
      } else {
        combine<kPool>(combined, from + i * row_, row_);
      }
    }
    return combined;
  }

  /// The first element of a window, or what no element combines to.
  template <class U>
  static void start(T* to, const U* from, bool any, int64_t count) {
    if (any) return convert(to, from, count);
    const T none = kPool == Pool::kMax ? std::numeric_limits<T>::lowest() : T{0};
    for (int64_t i = 0; i < count; ++i) to[i] = none;
  }

  const PoolShape& s_;
  int64_t row_;  // elements of an input row
  const S* input_;
  S* output_;
};

/// Gives what is left of a window's gradient to the channels whose value is the window's.
template <class S, class T>
void give_to_winners(T* HWY_RESTRICT to, T* HWY_RESTRICT left, const S* HWY_RESTRICT input,
                     const S* HWY_RESTRICT output, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const T a = static_cast<T>(input[i]), b = static_cast<T>(output[i]);
    const bool wins = a == b || (a != a && b != b);
    const T given = wins ? left[i] : T{0};
    to[i] += given;
    left[i] = wins ? T{0} : left[i];
  }
}

template <Pool kPool, class S>
class PoolingGradient {
  using T = Computed<S>;
  static constexpr bool kConverts = !std::is_same_v<S, T>;

 public:
  PoolingGradient(const PoolShape& shape, const S* input, const S* output, const S* gradient,
                  S* result)
      : s_(shape),
        row_(shape.windows.x.input * shape.channels),
        input_(input),
        output_(output),
        gradient_(gradient),
        result_(result) {}

  /// Windows of one image may overlap, so an image is one thread's.
  void run() const {
    const auto& [y, x] = s_.windows;
    const double work = static_cast<double>(y.output * x.output * y.size * x.size * s_.channels);
    team::parallel_for(s_.batch, 0.1 * sizeof(T) * work, [this](int64_t begin, int64_t end) {
      const int64_t size = s_.windows.y.input * row_;
      const Scratch<T> sums(kConverts ? size : 0), left(s_.channels);
      for (int64_t i = begin; i < end; ++i) {
        T* to = sums.data();
        if constexpr (!kConverts) to = result_ + i * size;
        image(i, to, left.data());
        if constexpr (kConverts) convert(result_ + i * size, to, size);
      }
    });
  }

 private:
  void image(int64_t index, T* result, T* left) const {
    const auto& [y, x] = s_.windows;
    const int64_t size = y.input * row_, channels = s_.channels;
    for (int64_t i = 0; i < size; ++i) result[i] = T{0};
    int64_t window = index * y.output * x.output * channels;
    for (int64_t i = 0; i < y.output; ++i)
      for (int64_t j = 0; j < x.output; ++j, window += channels) {
        convert(left, gradient_ + window, channels);
        spread(inside(y, i), inside(x, j), index * size, window, result, left);
      }
  }

  void spread(Inside rows, Inside columns, int64_t image, int64_t window, T* result,
              T* left) const {
    const int64_t channels = s_.channels;
    if constexpr (kPool == Pool::kAverage) {
      const T count = static_cast<T>(rows.count() * columns.count());
      for (int64_t c = 0; c < channels; ++c) left[c] /= count;
    }
    for (int64_t y = rows.from; y < rows.to; ++y)
      for (int64_t x = columns.from; x < columns.to; ++x) {
        const int64_t at = y * row_ + x * channels;
        if constexpr (kPool == Pool::kMax)
          give_to_winners(result + at, left, input_ + image + at, output_ + window, channels);
        else
          combine<kPool>(result + at, left, channels);
      }
  }

  const PoolShape& s_;
  int64_t row_;  // elements of an input row
  const S *input_, *output_, *gradient_;
  S* result_;
};

/// Takes the values of the channels that win and have not been `taken` yet.
template <class S, class T>
void take_from_winners(S* HWY_RESTRICT to, T* HWY_RESTRICT taken, const S* HWY_RESTRICT values,
                       const S* HWY_RESTRICT input, const S* HWY_RESTRICT output, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const T a = static_cast<T>(input[i]), b = static_cast<T>(output[i]);
    const bool wins = taken[i] == T{0} && (a == b || (a != a && b != b));
    to[i] = wins ? values[i] : to[i];
    taken[i] = wins ? T{1} : taken[i];
  }
}

template <class S>
void pick_winners(const PoolShape& s, const S* input, const S* output, const S* values, S* result) {
  using T = Computed<S>;
  const auto& [y, x] = s.windows;
  const int64_t channels = s.channels, row = x.input * channels;
  const double work = static_cast<double>(x.output * y.size * x.size * channels);
  team::parallel_for(s.batch * y.output, 0.1 * sizeof(T) * work, [&](int64_t begin, int64_t end) {
    const Scratch<T> taken(channels);
    for (int64_t i = begin; i < end; ++i) {
      const Inside rows = inside(y, i % y.output);
      const int64_t image = i / y.output * y.input * row;
      for (int64_t j = 0; j < x.output; ++j) {
        const Inside columns = inside(x, j);
        const int64_t window = (i * x.output + j) * channels;
        std::fill_n(result + window, channels, S{});
        std::fill_n(taken.data(), channels, T{0});
        for (int64_t r = rows.from; r < rows.to; ++r)
          for (int64_t c = columns.from; c < columns.to; ++c) {
            const int64_t at = image + r * row + c * channels;
            take_from_winners(result + window, taken.data(), values + at, input + at,
                              output + window, channels);
          }
      }
    }
  });
}

void RunPick(DType dtype, const PoolShape& shape, const void* input, const void* output,
             const void* values, void* result) {
  with_type(dtype, [&]<class S>(Type<S>) {
    if constexpr (!std::is_same_v<S, bool>)
      pick_winners(shape, static_cast<const S*>(input), static_cast<const S*>(output),
                   static_cast<const S*>(values), static_cast<S*>(result));
  });
}

void RunPool(Pool pool, DType dtype, const PoolShape& shape, const void* input, void* output) {
  with_type(dtype, [&]<class S>(Type<S>) {
    const auto* in = static_cast<const S*>(input);
    auto* out = static_cast<S*>(output);
    if constexpr (!std::is_same_v<S, bool>)
      if (pool == Pool::kMax) return Pooling<Pool::kMax, S>(shape, in, out).run();
    if constexpr (!std::is_integral_v<S>) Pooling<Pool::kAverage, S>(shape, in, out).run();
  });
}

void RunPoolGradient(Pool pool, DType dtype, const PoolShape& shape, const void* input,
                     const void* output, const void* gradient, void* result) {
  with_type(dtype, [&]<class S>(Type<S>) {
    const auto *in = static_cast<const S*>(input), *out = static_cast<const S*>(output),
               *from = static_cast<const S*>(gradient);
    auto* to = static_cast<S*>(result);
    if constexpr (!std::is_same_v<S, bool>)
      if (pool == Pool::kMax) return PoolingGradient<Pool::kMax, S>(shape, in, out, from, to).run();
    if constexpr (!std::is_integral_v<S>)
      PoolingGradient<Pool::kAverage, S>(shape, in, out, from, to).run();
  });
}

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alula::cpu {

HWY_EXPORT(RunPool);
HWY_EXPORT(RunPoolGradient);
HWY_EXPORT(RunPick);

void pool2d(Pool pool, DType dtype, const PoolShape& shape, const void* input, void* output) {
  if (shape.channels == 0) return;
  HWY_DYNAMIC_DISPATCH(RunPool)(pool, dtype, shape, input, output);
}

void pool2d_gradient(Pool pool, DType dtype, const PoolShape& shape, const void* input,
                     const void* output, const void* gradient, void* result) {
  if (shape.channels == 0) return;
  HWY_DYNAMIC_DISPATCH(RunPoolGradient)(pool, dtype, shape, input, output, gradient, result);
}

void pool2d_pick(DType dtype, const PoolShape& shape, const void* input, const void* output,
                 const void* values, void* result) {
  if (shape.channels == 0) return;
  HWY_DYNAMIC_DISPATCH(RunPick)(dtype, shape, input, output, values, result);
}

}  // namespace alula::cpu
#endif
