// The statistics of batch_norm and of its gradient, for each channel: reductions. What they put
// beside the results is what the elements are then computed with.

// Mean, and sum of squared distances from it, of so many elements. They are put together by the
// method of Chan, Golub and LeVeque.
template <class F>
struct Moments {
  F count, mean, squares, unused;
};
template <class T>
struct BatchStatistics {
  typedef typename Compared<T>::Type F;
  typedef Moments<F> Accumulator;
  F* mean;
  F* variance;
  F* factor;       // gamma / sqrt(variance + epsilon)
  const F* gamma;  // or nothing
  double epsilon;
  static __device__ __forceinline__ Accumulator none() { return {0, 0, 0, 0}; }
  static __device__ __forceinline__ Accumulator join(Accumulator a, Accumulator b) {
    const F count = a.count + b.count;
    const F share = count == 0 ? 0 : b.count / count, distance = b.mean - a.mean;
    return {count, a.mean + distance * share,
            a.squares + b.squares + distance * distance * a.count * share, 0};
  }
  // The first guess of the mean is rounded: the distances from it say how far it is off.
  template <int kCount, class Index>
  static __device__ __forceinline__ Accumulator group(const T (&e)[kCount], const Index (&)[kCount],
                                                      int valid) {
    const F count = (F)valid;
    F sum = 0;
#pragma unroll
    for (int i = 0; i < kCount; ++i) sum += i < valid ? op_cast<F>(e[i]) : 0;
    const F guess = sum / count;
    F off = 0, squares = 0;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const F distance = i < valid ? op_cast<F>(e[i]) - guess : 0;
      off += distance;
      squares += distance * distance;
    }
    const F left = squares - off / count * off;
    return {count, guess + off / count, left < 0 ? 0 : left, 0};
  }
  template <class Shape, class Index>
  __device__ __forceinline__ void put(const Shape& shape, Index channel, Accumulator a) const {
    const F spread = a.squares / (F)shape.elements;  // of nothing NaN
    mean[channel] = shape.elements == 0 ? spread : a.mean;
    variance[channel] = spread;
    const double scale = gamma != nullptr ? (double)gamma[channel] : 1.0;
    factor[channel] = (F)(scale / sqrt((double)spread + epsilon));
  }
};

template <class T>
struct BatchElement {
  typedef typename Compared<T>::Type F;
  F dy, distance;  // of x from the mean
};
template <class T, unsigned kPacked>
struct BatchSource {
  typedef BatchElement<T> Element;
  typedef typename BatchElement<T>::F F;
  static constexpr int kInputs = 3;
  const T* x;
  const T* dy;
  const F* mean;
  template <int kWidth, class Index>
  __device__ __forceinline__ void read(const Index (&at)[3], Element* to) const {
    const auto a = fetch < kWidth, (kPacked & 1) != 0 > (x, at[0]);
    const auto b = fetch < kWidth, (kPacked & 2) != 0 > (dy, at[1]);
    const auto m = fetch < kWidth, (kPacked & 4) != 0 > (mean, at[2]);
#pragma unroll
    for (int v = 0; v < kWidth; ++v) to[v] = {op_cast<F>(b.at[v]), op_cast<F>(a.at[v]) - m.at[v]};
  }
};
// sum(dy) and sum(dy * (x - mean)).
template <class F>
struct GradientSums {
  F dy, product;
};
template <class T>
struct BatchGradient {
  typedef typename Compared<T>::Type F;
  typedef GradientSums<F> Accumulator;
  F* dgamma;
  F* dbeta;
  // dx = dy * factor - level - (x - mean) * slope
  F* factor;
  F* level;
  F* slope;
  const F* variance;
  const F* gamma;  // or nothing
  double epsilon;
  static __device__ __forceinline__ Accumulator none() { return {0, 0}; }
  static __device__ __forceinline__ Accumulator join(Accumulator a, Accumulator b) {
    return {a.dy + b.dy, a.product + b.product};
  }
  template <int kCount, class Index>
  static __device__ __forceinline__ Accumulator group(const BatchElement<T> (&e)[kCount],
                                                      const Index (&)[kCount], int valid) {
    Accumulator values[kCount];
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (i < valid)
        values[i] = {e[i].dy, e[i].dy * e[i].distance};
      else
        values[i] = none();
    }
    return tree<BatchGradient>(values);
  }
  template <class Shape, class Index>
  __device__ __forceinline__ void put(const Shape& shape, Index channel, Accumulator a) const {
    const double inverse = 1 / sqrt((double)variance[channel] + epsilon);
    const double scale = inverse * (gamma != nullptr ? (double)gamma[channel] : 1.0);
    const double count = (double)shape.elements;
    dgamma[channel] = count == 0 ? 0 : (F)(a.product * inverse);  // of nothing, 0
    dbeta[channel] = a.dy;
    factor[channel] = (F)scale;
    level[channel] = (F)(scale * a.dy / count);
    slope[channel] = (F)(scale * inverse * inverse * a.product / count);
  }
};
