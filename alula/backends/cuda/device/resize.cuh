// Resizing of images, after arithmetic: each element of the result is a weighted sum of neighbours,
// which the taps name.

// Numbers that the launch brings along, written where kernels can read them.
template <int kCount>
struct WordArguments {
  unsigned int at[kCount];
};
template <int kCount>
KERNEL void put_words(unsigned int* to, const int count, const WordArguments<kCount> words) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = words.at[i];
}

// Along one axis: position i is made of `count` neighbours from first[i] on.
struct Taps {
  const int* first;
  const float* weights;
  int count, from, to;
  int blends;  // two neighbours, whose weights add up to 1
};
struct Resized {
  Taps y, x;
  Divider<unsigned int> channels, columns;
  int count;  // elements of one result
  long long images;
};

// Calls f(image, row, column, channel, element of the result).
template <class F>
DEVICE void for_each_resized(const Resized& r, const F& f) {
  for (long long image = blockIdx.y; image < r.images; image += gridDim.y)
    for (unsigned int i = first<unsigned int>(); i < r.count; i += stride<unsigned int>()) {
      const unsigned int pixel = r.channels.divide(i), row = r.columns.divide(pixel);
      f(image, (int)row, (int)(pixel - row * r.columns.divisor),
        (int)(i - pixel * r.channels.divisor), image * r.count + i);
    }
}

template <class T>
KERNEL void resize_nearest(const T* __restrict__ images, T* to, const Resized r) {
  for_each_resized(r, [&](long long image, int row, int column, int channel, long long at) {
    const long long y = image * r.y.from + r.y.first[row];
    to[at] = images[(y * r.x.from + r.x.first[column]) * r.channels.divisor + channel];
  });
}

// C: the type that is computed in. `value` gives the neighbours.
template <class C, class F>
DEVICE C weighted(const Taps& taps, int i, const F& value) {
  const float* const weights = taps.weights + (long long)i * taps.count;
  if (taps.blends) {
    const C a = value(0), b = value(1);
    return a + (b - a) * (C)weights[1];
  }
  C sum = 0;
  for (int k = 0; k < taps.count; ++k)
    if (weights[k] != 0) sum = add_product(value(k), (C)weights[k], sum);
  return sum;
}

template <class T, class C>
KERNEL void resample(const T* __restrict__ images, C* to, const Resized r) {
  for_each_resized(r, [&](long long image, int row, int column, int channel, long long at) {
    const int channels = r.channels.divisor;
    const long long y = image * r.y.from + r.y.first[row];
    const T* const corner = images + (y * r.x.from + r.x.first[column]) * channels + channel;
    to[at] = weighted<C>(r.y, row, [&](int j) {
      const T* const line = corner + (long long)j * r.x.from * channels;
      return weighted<C>(r.x, column,
                         [&](int k) { return op_cast<C>(line[(long long)k * channels]); });
    });
  });
}
