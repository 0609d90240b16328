// Pooling, after arithmetic. A thread has kWidth neighbouring channels of one window, or, in
// gradients, of one pixel, which asks the windows that hold it. kY, kX: the windows' size; 0 if it
// is not known before.

struct PoolAxis {
  int input, size, stride, before, output;
};
struct Pool {
  PoolAxis y, x;
  Divider<unsigned int> packs, columns;  // of what a thread has one of, in one image
  int count;                             // of those
  int channels;
  long long images;
};

template <class T>
DEVICE T least_finite() {
  return (T)Integer<T>::kLow;
}
template <>
__device__ __forceinline__ float least_finite<float>() {
  return float_of(0xff7fffffu);
}
template <>
__device__ __forceinline__ double least_finite<double>() {
  return double_of(0xffefffffffffffffull);
}

// The positions of a window, or the windows that hold a position: [from, to).
struct PoolRange {
  int from, to;
};
DEVICE PoolRange positions_of(const PoolAxis& axis, int size, int window) {
  const int start = window * axis.stride - axis.before;
  return {max(start, 0), min(start + size, axis.input)};
}
DEVICE PoolRange windows_of(const PoolAxis& axis, int size, int position) {
  const int at = position + axis.before;
  return {at < size ? 0 : (at - size) / axis.stride + 1, min(at / axis.stride + 1, axis.output)};
}

// Calls f(image, row, column, channel) for each of a thread's items.
template <int kWidth, class F>
DEVICE void for_each_pooled(const Pool& pool, const F& f) {
  for (long long image = blockIdx.y; image < pool.images; image += gridDim.y)
    for (unsigned int i = first<unsigned int>(); i < pool.count; i += stride<unsigned int>()) {
      const unsigned int pixel = pool.packs.divide(i), row = pool.columns.divide(pixel);
      f(image, (int)row, (int)(pixel - row * pool.columns.divisor),
        (int)(i - pixel * pool.packs.divisor) * kWidth);
    }
}

// Elements from the start of an image, or of its results, where a thread's channels begin.
DEVICE long long input_at(const Pool& p, long long image, int y, int x, int channel) {
  return ((image * p.y.input + y) * p.x.input + x) * p.channels + channel;
}
DEVICE long long output_at(const Pool& p, long long image, int y, int x, int channel) {
  return ((image * p.y.output + y) * p.x.output + x) * p.channels + channel;
}
template <int kKnown>
DEVICE int size_of(const PoolAxis& axis) {
  return kKnown > 0 ? kKnown : axis.size;
}
template <class T>
DEVICE bool same(T a, T b) {
  return a == b || (a != a && b != b);
}

// The largest value of each window and, unless `positions` is null, the first place of it.
template <class T, int kY, int kX, int kWidth>
DEVICE void find_largest(const T* __restrict__ input, T* output, unsigned char* positions,
                         const Pool& p) {
  typedef SumType<T> C;
  for_each_pooled<kWidth>(p, [&](long long image, int row, int column, int channel) {
    const int height = size_of<kY>(p.y), width = size_of<kX>(p.x);
    const int y0 = row * p.y.stride - p.y.before, x0 = column * p.x.stride - p.x.before;
    C best[kWidth];
    unsigned char winner[kWidth] = {};
    bool found = false;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) best[k] = least_finite<C>();
#pragma unroll(kY > 0 ? kY : 1)
    for (int y = 0; y < height; ++y)
#pragma unroll(kX > 0 ? kX : 1)
      for (int x = 0; x < width; ++x) {
        if (y0 + y < 0 || y0 + y >= p.y.input || x0 + x < 0 || x0 + x >= p.x.input) continue;
        const auto values = load<kWidth>(input, input_at(p, image, y0 + y, x0 + x, channel));
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
          const C value = op_cast<C>(values.at[k]);
          const bool better = !found || (!(value <= best[k]) && best[k] == best[k]);
          best[k] = better ? value : best[k];
          winner[k] = better ? (unsigned char)(y * width + x) : winner[k];
        }
        found = true;
      }
    const long long at = output_at(p, image, row, column, channel);
    Pack<T, kWidth> values;
    Pack<unsigned char, kWidth> winners;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      values.at[k] = op_cast<T>(best[k]);
      winners.at[k] = winner[k];
    }
    store<kWidth>(output, at, values);
    if (positions != nullptr) store<kWidth>(positions, at, winners);
  });
}

template <class T, int kY, int kX, int kWidth>
KERNEL void max_pool2d(const T* __restrict__ input, T* output, const Pool p) {
  find_largest<T, kY, kX, kWidth>(input, output, nullptr, p);
}
template <class T, int kY, int kX, int kWidth>
KERNEL void max_pool2d_with_positions(const T* __restrict__ input, T* output,
                                      unsigned char* positions, const Pool p) {
  find_largest<T, kY, kX, kWidth>(input, output, positions, p);
}

// The mean of each window's values.
template <class T, int kY, int kX, int kWidth>
KERNEL void avg_pool2d(const T* __restrict__ input, T* output, const Pool p) {
  typedef SumType<T> C;
  for_each_pooled<kWidth>(p, [&](long long image, int row, int column, int channel) {
    const PoolRange rows = positions_of(p.y, size_of<kY>(p.y), row);
    const PoolRange columns = positions_of(p.x, size_of<kX>(p.x), column);
    C sums[kWidth] = {};
    for (int y = rows.from; y < rows.to; ++y)
      for (int x = columns.from; x < columns.to; ++x) {
        const auto values = load<kWidth>(input, input_at(p, image, y, x, channel));
#pragma unroll
        for (int k = 0; k < kWidth; ++k) sums[k] += op_cast<C>(values.at[k]);
      }
    const C count = (C)(max(rows.to - rows.from, 0) * max(columns.to - columns.from, 0));
    Pack<T, kWidth> means;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) means.at[k] = op_cast<T>(sums[k] / count);
    store<kWidth>(output, output_at(p, image, row, column, channel), means);
  });
}

// What stands in `values` at the first of each window's largest values.
template <class T, int kY, int kX, int kWidth>
KERNEL void max_pool2d_pick(const T* __restrict__ input, const T* __restrict__ output,
                            const T* __restrict__ values, T* result, const Pool p) {
  typedef SumType<T> C;
  for_each_pooled<kWidth>(p, [&](long long image, int row, int column, int channel) {
    const PoolRange rows = positions_of(p.y, size_of<kY>(p.y), row);
    const PoolRange columns = positions_of(p.x, size_of<kX>(p.x), column);
    const long long at = output_at(p, image, row, column, channel);
    const auto best = load<kWidth>(output, at);
    Pack<T, kWidth> picked = {};
    bool found[kWidth] = {};
    for (int y = rows.from; y < rows.to; ++y)
      for (int x = columns.from; x < columns.to; ++x) {
        const long long from = input_at(p, image, y, x, channel);
        const auto candidates = load<kWidth>(input, from), taken = load<kWidth>(values, from);
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
          const bool wins = !found[k] && same(op_cast<C>(candidates.at[k]), op_cast<C>(best.at[k]));
          if (wins) picked.at[k] = taken.at[k];
          found[k] |= wins;
        }
      }
    store<kWidth>(result, at, picked);
  });
}

// What stands in `values` at each window's position.
template <class T, int kY, int kX, int kWidth>
KERNEL void max_pool2d_gather(const T* __restrict__ values,
                              const unsigned char* __restrict__ positions, T* result,
                              const Pool p) {
  for_each_pooled<kWidth>(p, [&](long long image, int row, int column, int channel) {
    const long long at = output_at(p, image, row, column, channel);
    const auto winners = load<kWidth>(positions, at);
    Pack<T, kWidth> picked;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      const int width = size_of<kX>(p.x);
      const int y = row * p.y.stride - p.y.before + winners.at[k] / width;
      const int x = column * p.x.stride - p.x.before + winners.at[k] % width;
      const bool inside = y >= 0 && y < p.y.input && x >= 0 && x < p.x.input;
      picked.at[k] = inside ? values[input_at(p, image, y, x, channel + k)] : (T)0;
    }
    store<kWidth>(result, at, picked);
  });
}

// Adds up, for each pixel, what f(window's offset, its row and column, the pixel's, channel, sums)
// gives.
template <class T, int kY, int kX, int kWidth, class F>
DEVICE void gather_windows(const Pool& p, T* result, const F& f) {
  typedef SumType<T> C;
  for_each_pooled<kWidth>(p, [&](long long image, int row, int column, int channel) {
    const PoolRange rows = windows_of(p.y, size_of<kY>(p.y), row);
    const PoolRange columns = windows_of(p.x, size_of<kX>(p.x), column);
    C sums[kWidth] = {};
    for (int y = rows.from; y < rows.to; ++y)
      for (int x = columns.from; x < columns.to; ++x) f(image, y, x, row, column, channel, sums);
    Pack<T, kWidth> pack;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) pack.at[k] = op_cast<T>(sums[k]);
    store<kWidth>(result, input_at(p, image, row, column, channel), pack);
  });
}

// A pixel gets the gradient of the windows whose value is its own, and no earlier pixel's.
template <class T, int kY, int kX, int kWidth>
KERNEL void max_pool2d_gradient(const T* __restrict__ input, const T* __restrict__ output,
                                const T* __restrict__ gradient, T* result, const Pool p) {
  typedef SumType<T> C;
  gather_windows<T, kY, kX, kWidth>(
      p, result,
      [&](long long image, int y, int x, int row, int column, int channel, C(&sums)[kWidth]) {
        const long long at = output_at(p, image, y, x, channel);
        const auto best = load<kWidth>(output, at), given = load<kWidth>(gradient, at);
        const auto own = load<kWidth>(input, input_at(p, image, row, column, channel));
        bool wins[kWidth];
#pragma unroll
        for (int k = 0; k < kWidth; ++k)
          wins[k] = same(op_cast<C>(own.at[k]), op_cast<C>(best.at[k]));
        const PoolRange rows = positions_of(p.y, size_of<kY>(p.y), y);
        const PoolRange columns = positions_of(p.x, size_of<kX>(p.x), x);
        for (int i = rows.from; i <= row; ++i)
          for (int j = columns.from; j < (i == row ? column : columns.to); ++j) {
            const auto earlier = load<kWidth>(input, input_at(p, image, i, j, channel));
#pragma unroll
            for (int k = 0; k < kWidth; ++k)
              wins[k] &= !same(op_cast<C>(earlier.at[k]), op_cast<C>(best.at[k]));
          }
#pragma unroll
        for (int k = 0; k < kWidth; ++k)
          if (wins[k]) sums[k] = op_add(sums[k], op_cast<C>(given.at[k]));
      });
}

// A pixel gets the values of the windows whose positions name it.
template <class T, int kY, int kX, int kWidth>
KERNEL void max_pool2d_scatter(const T* __restrict__ values,
                               const unsigned char* __restrict__ positions, T* result,
                               const Pool p) {
  gather_windows<T, kY, kX, kWidth>(
      p, result,
      [&](long long image, int y, int x, int row, int column, int channel, T(&sums)[kWidth]) {
        const long long at = output_at(p, image, y, x, channel);
        const auto winners = load<kWidth>(positions, at);
        const auto given = load<kWidth>(values, at);
        const int here = (row - y * p.y.stride + p.y.before) * size_of<kX>(p.x) + column -
                         x * p.x.stride + p.x.before;
#pragma unroll
        for (int k = 0; k < kWidth; ++k)
          if (winners.at[k] == here) sums[k] += given.at[k];
      });
}

// A pixel gets its share of each window that holds it.
template <class T, int kY, int kX, int kWidth>
KERNEL void avg_pool2d_gradient(const T* __restrict__ gradient, T* result, const Pool p) {
  typedef SumType<T> C;
  gather_windows<T, kY, kX, kWidth>(
      p, result, [&](long long image, int y, int x, int, int, int channel, C(&sums)[kWidth]) {
        const PoolRange rows = positions_of(p.y, size_of<kY>(p.y), y);
        const PoolRange columns = positions_of(p.x, size_of<kX>(p.x), x);
        const C count = (C)((rows.to - rows.from) * (columns.to - columns.from));
        const auto given = load<kWidth>(gradient, output_at(p, image, y, x, channel));
#pragma unroll
        for (int k = 0; k < kWidth; ++k) sums[k] += op_cast<C>(given.at[k]) / count;
      });
}
