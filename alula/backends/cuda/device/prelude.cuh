// The start of every kernel's source: CUDA C++ that NVRTC compiles, without any include. The
// instructions mean the same as on the CPU. They cannot report an element that is no good, though:
// an integer divided by zero, or raised to a negative power, is 0.
#define DEVICE static __device__ __forceinline__
#ifndef ALULA_ON_HOST
// Memory whose size the launch says: SHARED_BYTES(name) declares `unsigned char name[]`.
#define SHARED_BYTES(name) extern __shared__ __align__(16) unsigned char name[]
#endif

// A kernel is launched by itself, or it is a link of a chain, a kernel that runs several. Then the
// chain says which block of which grid this is; the links of a chain use the same shared memory
// one after another; and what one writes, another reads, so nothing may be taken for constant.
#ifndef ALULA_CHAINED
#define KERNEL __global__
#define BOUNDS(...) __launch_bounds__(__VA_ARGS__)
// Shared memory, if it is much: SHARED(Type, name) declares `Type& name`.
#define SHARED(Type, name) __shared__ Type name
#else
#define KERNEL static __device__ __forceinline__
#define BOUNDS(...)
#define __restrict__
#define __ldg(at) (*(at))

struct LinkSize {
  unsigned int x, y, z;
};
struct LinkPlace {
  LinkSize block, blocks, threads;
};
struct alignas(16) LinkRoom {
  unsigned char bytes[CHAIN_ROOM];
};
__shared__ LinkPlace link_place;
__shared__ LinkRoom link_room;
template <class T>
DEVICE T& link_shared() {
  static_assert(sizeof(T) <= CHAIN_ROOM, "more than the links of a chain have");
  return *(T*)link_room.bytes;
}
#define SHARED(Type, name) Type& name = link_shared<Type>()

DEVICE unsigned int chain_block() { return blockIdx.x; }
DEVICE unsigned int chain_blocks() { return gridDim.x; }
DEVICE void chain_barrier() { __syncthreads(); }
DEVICE void link_barrier() {
#ifdef ALULA_ON_HOST
  engine->wait_for_some(link_place.threads.x);
#else
  asm volatile("bar.sync 1, %0;" : : "r"(link_place.threads.x) : "memory");
#endif
}
#undef blockIdx
#undef blockDim
#undef gridDim
#define blockIdx link_place.block
#define blockDim link_place.threads
#define gridDim link_place.blocks
#define __syncthreads link_barrier
#endif

// ---- types -----------------------------------------------------------------------------------

struct Half {
  unsigned short bits;
};
struct BFloat16 {
  unsigned short bits;
};

template <class A, class B>
struct Same {
  static constexpr bool value = false;
};
template <class A>
struct Same<A, A> {
  static constexpr bool value = true;
};
template <class T>
constexpr bool is_half = Same<T, Half>::value || Same<T, BFloat16>::value;
template <class T>
constexpr bool is_float = Same<T, float>::value || Same<T, double>::value;

// Integers wrap around, which only unsigned ones may do in C++; small ones as unsigned int, since
// they would become int otherwise.
template <class T>
struct Integer {
  typedef T Wrapping;
};
template <class W, long long kLow_, unsigned long long kHigh_>
struct Limits {
  typedef W Wrapping;
  static constexpr long long kLow = kLow_;
  static constexpr unsigned long long kHigh = kHigh_;
};
template <>
struct Integer<signed char> : Limits<unsigned int, -128, 127> {};
template <>
struct Integer<short> : Limits<unsigned int, -32768, 32767> {};
template <>
struct Integer<int> : Limits<unsigned int, -2147483647 - 1, 2147483647> {};
template <>
struct Integer<long long>
    : Limits<unsigned long long, -9223372036854775807LL - 1, 9223372036854775807ULL> {};
template <>
struct Integer<unsigned char> : Limits<unsigned int, 0, 255> {};
template <>
struct Integer<unsigned short> : Limits<unsigned int, 0, 65535> {};
template <>
struct Integer<unsigned int> : Limits<unsigned int, 0, 4294967295U> {};
template <>
struct Integer<unsigned long long> : Limits<unsigned long long, 0, 18446744073709551615ULL> {};
template <class T>
using Wrapping = typename Integer<T>::Wrapping;

// ---- conversions -----------------------------------------------------------------------------

#ifndef ALULA_ON_HOST
DEVICE float float_of(unsigned int bits) { return __uint_as_float(bits); }
DEVICE double double_of(unsigned long long bits) { return __longlong_as_double(bits); }
DEVICE unsigned int bits_of(float x) { return __float_as_uint(x); }
DEVICE unsigned long long bits_of(double x) { return __double_as_longlong(x); }
DEVICE float to_float(Half x) {
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(x.bits));
  return result;
}
DEVICE void from_float(float x, Half& to) {
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(x));
}
#endif
DEVICE float to_float(BFloat16 x) { return float_of((unsigned int)x.bits << 16); }
DEVICE void from_float(float x, BFloat16& to) {
  const unsigned int bits = bits_of(x);
  to.bits = (bits & 0x7fffffffu) > 0x7f800000u
                ? (unsigned short)((bits >> 16) | 0x40u)
                : (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

// What does not fit goes to the nearest limit, NaN to 0.
template <class To, class From>
DEVICE To op_cast(From x) {
  if constexpr (Same<To, From>::value) {
    return x;
  } else if constexpr (is_half<From>) {
    return op_cast<To>(to_float(x));
  } else if constexpr (is_half<To>) {
    To result;
    from_float((float)x, result);
    return result;
  } else if constexpr (Same<To, bool>::value) {
    return x != (From)0;
  } else if constexpr (is_float<From> && !is_float<To>) {
    constexpr To kLow = (To)Integer<To>::kLow, kHigh = (To)Integer<To>::kHigh;
    if (x <= (From)kLow) return kLow;
    if (x >= (From)kHigh) return kHigh;
    return x == x ? (To)x : (To)0;
  } else {
    return (To)x;
  }
}

// ---- instructions ----------------------------------------------------------------------------

template <class T>
DEVICE T op_neg(T x) {
  return (T)(0 - (Wrapping<T>)x);
}
DEVICE float op_neg(float x) { return -x; }
DEVICE double op_neg(double x) { return -x; }
template <class T>
DEVICE T op_abs(T x) {
  return x < (T)0 ? op_neg(x) : x;
}
DEVICE float op_abs(float x) { return fabsf(x); }
DEVICE double op_abs(double x) { return fabs(x); }

#define FLOATING(name, function)                             \
  DEVICE float op_##name(float x) { return function##f(x); } \
  DEVICE double op_##name(double x) { return function(x); }
FLOATING(sqrt, sqrt)
FLOATING(exp, exp)
FLOATING(expm1, expm1)
FLOATING(log, log)
FLOATING(log1p, log1p)
FLOATING(sin, sin)
FLOATING(cos, cos)
FLOATING(tan, tan)
FLOATING(tanh, tanh)
FLOATING(erf, erf)
FLOATING(floor, floor)
FLOATING(ceil, ceil)
FLOATING(round, rint)
template <class T>
DEVICE T op_floor(T x) {
  return x;
}
template <class T>
DEVICE T op_ceil(T x) {
  return x;
}
template <class T>
DEVICE T op_round(T x) {
  return x;
}

template <class T>
DEVICE T op_add(T a, T b) {
  return (T)((Wrapping<T>)a + (Wrapping<T>)b);
}
template <class T>
DEVICE T op_sub(T a, T b) {
  return (T)((Wrapping<T>)a - (Wrapping<T>)b);
}
template <class T>
DEVICE T op_mul(T a, T b) {
  return (T)((Wrapping<T>)a * (Wrapping<T>)b);
}
template <class T>
DEVICE T op_div(T a, T b) {
  return a / b;
}
template <class T>
DEVICE T op_min(T a, T b) {
  return a < b || a != a ? a : b;
}
template <class T>
DEVICE T op_max(T a, T b) {
  return a > b || a != a ? a : b;
}

template <class T>
DEVICE T op_floordiv(T a, T b) {
  if (b == 0) return 0;
  if ((T)-1 < (T)0 && b == (T)-1) return op_neg(a);  // the smallest number overflows
  const T quotient = (T)(a / b);
  return (T)(quotient - (a % b != 0 && (a < 0) != (b < 0)));
}
DEVICE float op_floordiv(float a, float b) { return floorf(a / b); }
DEVICE double op_floordiv(double a, double b) { return floor(a / b); }

template <class T>
DEVICE T op_mod(T a, T b) {
  if (b == 0 || ((T)-1 < (T)0 && b == (T)-1)) return 0;
  const T remainder = (T)(a % b);
  return (T)(remainder != 0 && (a < 0) != (b < 0) ? remainder + b : remainder);
}
template <class T>
DEVICE T with_sign_of(T remainder, T b) {
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}
DEVICE float op_mod(float a, float b) { return with_sign_of(fmodf(a, b), b); }
DEVICE double op_mod(double a, double b) { return with_sign_of(fmod(a, b), b); }

template <class T>
DEVICE T op_pow(T base, T exponent) {
  if (exponent < 0) return 0;
  T result = 1;
  for (T power = base; exponent != 0; exponent = (T)(exponent / 2)) {
    if (exponent % 2 != 0) result = op_mul(result, power);
    power = op_mul(power, power);
  }
  return result;
}
DEVICE float op_pow(float a, float b) { return powf(a, b); }
DEVICE double op_pow(double a, double b) { return pow(a, b); }

template <class T>
DEVICE bool op_equal(T a, T b) {
  return a == b;
}
template <class T>
DEVICE bool op_not_equal(T a, T b) {
  return a != b;
}
template <class T>
DEVICE bool op_less(T a, T b) {
  return a < b;
}
template <class T>
DEVICE bool op_less_equal(T a, T b) {
  return a <= b;
}
DEVICE bool op_not(bool x) { return !x; }
DEVICE bool op_and(bool a, bool b) { return a && b; }
DEVICE bool op_or(bool a, bool b) { return a || b; }
template <class T>
DEVICE T op_select(bool condition, T a, T b) {
  return condition ? a : b;
}

// ---- elements --------------------------------------------------------------------------------

// Neighbours that are read and written in one access.
template <class T, int kWidth>
struct alignas(sizeof(T) * kWidth) Pack {
  T at[kWidth];
};
template <int kWidth, class T, class Index>
DEVICE Pack<T, kWidth> load(const T* from, Index i) {
  return *(const Pack<T, kWidth>*)(from + i);
}
template <int kWidth, class T, class Index>
DEVICE void store(T* to, Index i, const Pack<T, kWidth>& pack) {
  *(Pack<T, kWidth>*)(to + i) = pack;
}

template <class Index>
DEVICE Index first() {
  return (Index)blockIdx.x * blockDim.x + threadIdx.x;
}
template <class Index>
DEVICE Index stride() {
  return (Index)gridDim.x * blockDim.x;
}

// Division by a number that stays the same.
template <class Index>
struct Divider;
template <>
struct Divider<unsigned int> {
  unsigned int multiplier, shift, divisor;
  __device__ __forceinline__ unsigned int divide(unsigned int n) const {
    return (__umulhi(n, multiplier) + n) >> shift;
  }
};
template <>
struct Divider<unsigned long long> {
  unsigned long long divisor;
  __device__ __forceinline__ unsigned long long divide(unsigned long long n) const {
    return n / divisor;
  }
};

// Where the inputs that broadcast are: dimensions from the innermost outwards, and their strides.
template <int kRank, int kInputs, class Index>
struct Rows {
  Index count;
  Divider<Index> dims[kRank];
  Index strides[kInputs][kRank];

  __device__ __forceinline__ void find(Index i, Index (&from)[kInputs]) const {
#pragma unroll
    for (int k = 0; k < kInputs; ++k) from[k] = 0;
#pragma unroll
    for (int axis = 0; axis < kRank; ++axis) {
      const Index outer = axis + 1 < kRank ? dims[axis].divide(i) : 0;
      const Index inside = i - outer * dims[axis].divisor;
#pragma unroll
      for (int k = 0; k < kInputs; ++k) from[k] += inside * strides[k][axis];
      i = outer;
    }
  }
};

// ---- threads that work together --------------------------------------------------------------

// Joins the values of a warp's threads; every thread gets the result.
template <class T, class Join>
DEVICE T join_warp(T x, Join join) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) x = join(x, __shfl_xor_sync(0xffffffffu, x, mask));
  return x;
}

// Joins the values of a block's threads, whose number is a multiple of 32; every thread gets the
// result. `room` is shared memory for 32 values; it can be used again after the next barrier.
template <class T, class Join>
DEVICE T join_block(T x, T none, T* room, Join join) {
  x = join_warp(x, join);
  __syncthreads();
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = x;
  __syncthreads();
  x = threadIdx.x % 32 < blockDim.x / 32 ? room[threadIdx.x % 32] : none;
  return join_warp(x, join);
}
