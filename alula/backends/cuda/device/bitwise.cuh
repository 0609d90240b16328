// Functions of the bits of integers.

struct And {
  template <class T>
  static __device__ T of(T x, T y) {
    return (T)(x & y);
  }
};
struct Or {
  template <class T>
  static __device__ T of(T x, T y) {
    return (T)(x | y);
  }
};
struct Xor {
  template <class T>
  static __device__ T of(T x, T y) {
    return (T)(x ^ y);
  }
};
// How far to move: by what C++ defines.
template <class T>
DEVICE int distance_of(T y) {
  constexpr int kMost = sizeof(T) * 8 - 1;
  return y<(T)0 ? 0 : y>(T) kMost ? kMost : (int)y;
}
struct LeftShift {
  template <class T>
  static __device__ T of(T x, T y) {
    return (T)((Wrapping<T>)x << distance_of(y));
  }
};
struct RightShift {
  template <class T>
  static __device__ T of(T x, T y) {
    return (T)(x >> distance_of(y));
  }
};

template <class F, class T>
KERNEL void combine_bits(const T* x, const T* y, T* out, long long count) {
  for (long long i = first<long long>(); i < count; i += stride<long long>())
    out[i] = F::of(x[i], y[i]);
}
