// How elements come together: sums, extremes and the places of extremes.

// Sums and products of 16-bit floats build up in float; those of integers wrap around.
template <class T>
struct Summed {
  typedef Wrapping<T> Type;
};
template <>
struct Summed<float> {
  typedef float Type;
};
template <>
struct Summed<double> {
  typedef double Type;
};
template <>
struct Summed<Half> {
  typedef float Type;
};
template <>
struct Summed<BFloat16> {
  typedef float Type;
};
// An integer's mean is that of a sum in 64 bits.
template <class T>
struct Averaged {
  typedef unsigned long long Type;
};
template <>
struct Averaged<float> {
  typedef float Type;
};
template <>
struct Averaged<double> {
  typedef double Type;
};
template <>
struct Averaged<Half> {
  typedef float Type;
};
template <>
struct Averaged<BFloat16> {
  typedef float Type;
};
// What is only compared needs a register.
template <class T>
struct Compared {
  typedef int Type;
};
template <>
struct Compared<float> {
  typedef float Type;
};
template <>
struct Compared<double> {
  typedef double Type;
};
template <>
struct Compared<Half> {
  typedef float Type;
};
template <>
struct Compared<BFloat16> {
  typedef float Type;
};
template <>
struct Compared<unsigned int> {
  typedef unsigned int Type;
};
template <>
struct Compared<long long> {
  typedef long long Type;
};
template <>
struct Compared<unsigned long long> {
  typedef unsigned long long Type;
};

template <class T>
DEVICE typename Compared<T>::Type lowest() {
  if constexpr (is_half<T> || Same<T, float>::value)
    return float_of(0xff800000u);
  else if constexpr (Same<T, double>::value)
    return double_of(0xfff0000000000000ull);
  else if constexpr (Same<T, bool>::value)
    return 0;
  else
    return (T)Integer<T>::kLow;
}
template <class T>
DEVICE typename Compared<T>::Type highest() {
  if constexpr (is_half<T> || Same<T, float>::value)
    return float_of(0x7f800000u);
  else if constexpr (Same<T, double>::value)
    return double_of(0x7ff0000000000000ull);
  else if constexpr (Same<T, bool>::value)
    return 1;
  else
    return (T)Integer<T>::kHigh;
}

template <class Derived, class T, class A>
struct Simple {
  typedef A Accumulator;
  T* out;
  template <int kCount, class Index>
  static __device__ __forceinline__ A group(const T (&e)[kCount], const Index (&)[kCount],
                                            int valid) {
    A values[kCount];
#pragma unroll
    for (int i = 0; i < kCount; ++i) values[i] = i < valid ? op_cast<A>(e[i]) : Derived::none();
    return tree<Derived>(values);
  }
  template <class Shape, class Index>
  __device__ __forceinline__ void put(const Shape& shape, Index result, A a) const {
    out[result] = Derived::finish(a, shape.elements);
  }
  template <class Index>
  static __device__ __forceinline__ T finish(A a, Index) {
    return op_cast<T>(a);
  }
};

template <class T>
struct Sum : Simple<Sum<T>, T, typename Summed<T>::Type> {
  typedef typename Summed<T>::Type A;
  static __device__ __forceinline__ A none() { return 0; }
  static __device__ __forceinline__ A join(A a, A b) { return a + b; }
};
template <class T>
struct Mean : Simple<Mean<T>, T, typename Averaged<T>::Type> {
  typedef typename Averaged<T>::Type A;
  static __device__ __forceinline__ A none() { return 0; }
  static __device__ __forceinline__ A join(A a, A b) { return a + b; }
  template <class Index>
  static __device__ __forceinline__ T finish(A a, Index count) {
    if constexpr (is_float<A>)
      return op_cast<T>(a / (A)count);
    else if (count == 0)
      return 0;
    else if constexpr ((T)-1 < (T)0)
      return (T)((long long)a / (long long)count);
    else
      return (T)(a / (unsigned long long)count);
  }
};
template <class T>
struct Prod : Simple<Prod<T>, T, typename Summed<T>::Type> {
  typedef typename Summed<T>::Type A;
  static __device__ __forceinline__ A none() { return 1; }
  static __device__ __forceinline__ A join(A a, A b) { return a * b; }
};
// NaN wins. Of bools, the largest says whether any is true, the smallest whether all are.
template <class T>
struct Max : Simple<Max<T>, T, typename Compared<T>::Type> {
  typedef typename Compared<T>::Type A;
  static __device__ __forceinline__ A none() { return lowest<T>(); }
  static __device__ __forceinline__ A join(A a, A b) { return op_max(a, b); }
};
template <class T>
struct Min : Simple<Min<T>, T, typename Compared<T>::Type> {
  typedef typename Compared<T>::Type A;
  static __device__ __forceinline__ A none() { return highest<T>(); }
  static __device__ __forceinline__ A join(A a, A b) { return op_min(a, b); }
};

// The place of the best element; of equal ones, the first. NaN is never the best; if no element is
// better than the worst number, the place is 0.
template <class A, class Place>
struct Best {
  A value;
  Place at;
};
template <class T, class To, class Place, bool kLargest>
struct ArgBest {
  typedef typename Compared<T>::Type A;
  typedef Best<A, Place> Accumulator;
  To* out;
  static __device__ __forceinline__ A worst() { return kLargest ? lowest<T>() : highest<T>(); }
  static __device__ __forceinline__ Accumulator none() { return {worst(), 0}; }
  static __device__ __forceinline__ Accumulator join(Accumulator a, Accumulator b) {
    const bool better = kLargest ? b.value > a.value : b.value < a.value;
    return better || (b.value == a.value && b.at < a.at) ? b : a;
  }
  template <int kCount, class Index>
  static __device__ __forceinline__ Accumulator group(const T (&e)[kCount],
                                                      const Index (&at)[kCount], int valid) {
    Accumulator best = none();
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      if (i < valid) best = join(best, {op_cast<A>(e[i]), (Place)at[i]});
    return best;
  }
  template <class Shape, class Index>
  __device__ __forceinline__ void put(const Shape&, Index result, Accumulator a) const {
    out[result] = a.value == worst() ? 0 : (To)a.at;
  }
};
