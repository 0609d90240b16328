// Random numbers: a function of a key and a counter, so that an element is the same whichever
// thread or device makes it.

struct Stream {
  unsigned long long key, high, low;
};
struct Words {
  unsigned int at[4];
};

// The i-th four words of a stream, by Philox4x32-10.
DEVICE Words words_of(const Stream& stream, unsigned long long i) {
  const unsigned long long low = stream.low + i;
  unsigned int k0 = (unsigned int)stream.key, k1 = (unsigned int)(stream.key >> 32);
  unsigned int c0 = (unsigned int)low, c1 = (unsigned int)(low >> 32);
  unsigned int c2 = (unsigned int)stream.high, c3 = (unsigned int)(stream.high >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned long long first = 0xD2511F53ull * c0, third = 0xCD9E8D57ull * c2;
    c0 = (unsigned int)(third >> 32) ^ c1 ^ k0;
    c2 = (unsigned int)(first >> 32) ^ c3 ^ k1;
    c1 = (unsigned int)third;
    c3 = (unsigned int)first;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

// What elements of T are computed in, and how many four words make.
template <class T>
struct Computed {
  typedef float Type;
};
template <>
struct Computed<double> {
  typedef double Type;
};
template <class T>
using ComputedOf = typename Computed<T>::Type;
template <class T>
constexpr int kPerBlock = sizeof(T) == 8 ? 2 : 4;

// The uniform in [0, 1) that the words of element i make, with as many bits as T has.
template <class T>
DEVICE ComputedOf<T> unit_of(const Words& words, int i) {
  if constexpr (Same<T, double>::value) {
    const unsigned long long high = words.at[2 * i] & 0xFFFFFu;
    return double_of(0x3FF0000000000000ull | high << 32 | words.at[2 * i + 1]) - 1.0;
  } else if constexpr (Same<T, float>::value) {
    return float_of(0x3F800000u | (words.at[i] & 0x7FFFFFu)) - 1.0f;
  } else {
    constexpr unsigned int kOne = 1u << (Same<T, Half>::value ? 10 : 7);
    return (float)(words.at[i] & (kOne - 1)) * (1.0f / kOne);
  }
}

// ---- what the words are made into: kCount elements ---------------------------------------------

template <class T>
struct Uniform {
  typedef T Element;
  static constexpr int kCount = kPerBlock<T>;
  ComputedOf<T> scale, shift;
  __device__ __forceinline__ void make(const Words& words, T* out) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i) out[i] = op_cast<T>(unit_of<T>(words, i) * scale + shift);
  }
};

template <class T, class Bits>
struct UniformInteger {
  typedef T Element;
  static constexpr int kCount = kPerBlock<T>;
  Bits low, range;
  __device__ __forceinline__ void make(const Words& words, T* out) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      Bits word;
      if constexpr (sizeof(T) == 8)
        word = words.at[2 * i] | (Bits)words.at[2 * i + 1] << 32;
      else
        word = words.at[i];
      out[i] = (T)(low + word % range);
    }
  }
};

// Pairs of uniforms by the method of Box and Muller.
template <class T>
struct Normal {
  typedef T Element;
  static constexpr int kCount = kPerBlock<T>;
  typedef ComputedOf<T> F;
  F scale, shift;
  __device__ __forceinline__ void make(const Words& words, T* out) const {
#pragma unroll
    for (int i = 0; i < kCount; i += 2) {
      const F u = op_max(unit_of<F>(words, i), (F)1e-7);
      const F radius = op_sqrt((F)-2 * op_log(u));
      const F angle = (F)6.283185307179586477 * unit_of<F>(words, i + 1);
      out[i] = op_cast<T>(radius * op_sin(angle) * scale + shift);
      out[i + 1] = op_cast<T>(radius * op_cos(angle) * scale + shift);
    }
  }
};

DEVICE float fused(float a, float b, float c) { return fmaf(a, b, c); }
DEVICE double fused(double a, double b, double c) { return fma(a, b, c); }

// z / y as a polynomial in w, where y = erf(z / sqrt(2)), w = -log(1 - y^2) - 1.2099514...,
// |z| <= 2: the CPU's.
DEVICE float normal_ratio(float w) {
  const float k[] = {1.6681679147226429f,     0.35257415186895654f,    0.0039370613138421661f,
                     -0.0032191384263049736f, 0.00019361705569657364f, 4.5758982215155208e-5f,
                     -6.4962942062490087e-6f, -4.9920406649194619e-7f};
  float ratio = k[7];
#pragma unroll
  for (int i = 6; i >= 0; --i) ratio = fused(ratio, w, k[i]);
  return ratio;
}
DEVICE double normal_ratio(double w) {
  const double k[] = {
      1.6681679208087217132,      0.35257415188525055502,     0.0039369281486169494645,
      -0.0032191387748111599164,  0.00019407434518031547444,  0.000045760031044961188212,
      -7.0029555813544155295e-6,  -4.9995521985369929279e-7,  1.8076423651729012052e-7,
      -1.9449050739928343757e-10, -3.961840380782532992e-9,   2.4017210511494341691e-10,
      7.434171448696795452e-11,   -9.7101095543230520851e-12, -1.0589858190679391721e-12,
      2.4969213913107608413e-13};
  double ratio = k[15];
#pragma unroll
  for (int i = 14; i >= 0; --i) ratio = fused(ratio, w, k[i]);
  return ratio;
}

template <class T>
struct TruncatedNormal {
  typedef T Element;
  static constexpr int kCount = kPerBlock<T>;
  typedef ComputedOf<T> F;
  F scale, shift;
  __device__ __forceinline__ void make(const Words& words, T* out) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      // From [0, 1) to the middles of as many pieces of (-1, 1): exact. Then to the part of the
      // distribution that is within two deviations.
      const F half_step = sizeof(F) == 8 ? (F)1.1102230246251565e-16 : (F)5.9604644775390625e-8;
      const F y = ((unit_of<F>(words, i) - (F)0.5) + half_step) * (F)2 * (F)0.95449973610364158560;
      const F w = -op_log(fused(-y, y, (F)1)) - (F)1.2099514409455524092;
      const F z = op_min(op_max(y * normal_ratio(w), (F)-2), (F)2);
      out[i] = op_cast<T>(z * scale + shift);
    }
  }
};

// `one` is what the dtype's 1 looks like as an integer.
template <class Bits>
struct Bernoulli {
  typedef Bits Element;
  static constexpr int kCount = 4;
  unsigned long long threshold;
  Bits one;
  __device__ __forceinline__ void make(const Words& words, Bits* out) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) out[i] = words.at[i] < threshold ? one : (Bits)0;
  }
};

// kWidth elements are written at once.
template <class Job, int kWidth, class T = typename Job::Element>
KERNEL void generate(T* to, long long count, Stream stream, const Stream* fed, Job job) {
  constexpr int kCount = Job::kCount;
  if (fed != nullptr) stream = *fed;
  for (long long i = first<long long>(); i * kCount < count; i += stride<long long>()) {
    T out[kCount];
    job.make(words_of(stream, i), out);
#pragma unroll
    for (int k = 0; k < kCount; k += kWidth) {
      const long long at = i * kCount + k;
      Pack<T, kWidth> pack;
#pragma unroll
      for (int j = 0; j < kWidth; ++j) pack.at[j] = out[k + j];
      if (at + kWidth <= count) {
        store<kWidth>(to, at, pack);
        continue;
      }
#pragma unroll
      for (int j = 0; j < kWidth; ++j)
        if (at + j < count) to[at + j] = pack.at[j];
    }
  }
}
