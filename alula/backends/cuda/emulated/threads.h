#pragma once
// Device code on the host: what CUDA C++ has beside C++, for kernels that are compiled by the
// host's compiler. It is included by their sources alone, before the prelude, and by the engine
// that runs them (threads.cpp).
#include <cmath>
#include <cstring>

namespace alula::cuda::emulated {

struct Dim {
  unsigned x = 1, y = 1, z = 1;
};

/// What a thread can see and ask for. One thread of one block runs at a time, until it waits for
/// others; the engine changes `thread` as it switches.
struct Engine {
  Dim thread, block, threads, blocks;
  unsigned lane = 0;                // in the warp
  unsigned char* shared = nullptr;  // what the launch gives beside the kernel's own
  /// Return when every thread of the block, or of the warp, has called them or has ended.
  void (*wait_for_block)() = nullptr;
  void (*wait_for_warp)() = nullptr;
  /// Returns when so many threads of the block have called it.
  void (*wait_for_some)(unsigned count) = nullptr;
  /// One number a lane, to exchange.
  unsigned long long* words = nullptr;
};

}  // namespace alula::cuda::emulated

#ifdef ALULA_ON_HOST

#define __global__ static  // so are its arrays in shared memory: AddressSanitizer watches only such
#define __device__
#define __host__
#define __forceinline__ inline
#define __restrict__
#define __shared__ static
#define __align__(n) alignas(n)
#define __launch_bounds__(...)
#define __constant__

static alula::cuda::emulated::Engine* engine;
#define threadIdx (engine->thread)
#define blockIdx (engine->block)
#define blockDim (engine->threads)
#define gridDim (engine->blocks)
// Memory whose size the launch says: SHARED_BYTES(name) declares `unsigned char* name`.
#define SHARED_BYTES(name) unsigned char* const name = engine->shared

static inline void __syncthreads() { engine->wait_for_block(); }
static inline void __syncwarp(unsigned = 0xffffffffu) { engine->wait_for_warp(); }

template <class T>
static inline T shuffled(T x, unsigned from) {
  static_assert(sizeof(T) <= 8);
  unsigned long long word = 0;
  std::memcpy(&word, &x, sizeof(T));
  engine->words[engine->lane] = word;
  engine->wait_for_warp();
  word = engine->words[from % 32];
  engine->wait_for_warp();
  std::memcpy(&x, &word, sizeof(T));
  return x;
}
template <class T>
static inline T __shfl_sync(unsigned, T x, int lane) {
  return shuffled(x, static_cast<unsigned>(lane));
}
template <class T>
static inline T __shfl_xor_sync(unsigned, T x, int mask) {
  return shuffled(x, engine->lane ^ static_cast<unsigned>(mask));
}
template <class T>
static inline T __shfl_down_sync(unsigned, T x, unsigned by) {
  return shuffled(x, engine->lane + by < 32 ? engine->lane + by : engine->lane);
}
template <class T>
static inline T __shfl_up_sync(unsigned, T x, unsigned by) {
  return shuffled(x, engine->lane >= by ? engine->lane - by : engine->lane);
}
static inline unsigned __ballot_sync(unsigned, int yes) {
  engine->words[engine->lane] = yes != 0;
  engine->wait_for_warp();
  unsigned bits = 0;
  for (unsigned i = 0; i < 32; ++i) bits |= static_cast<unsigned>(engine->words[i] & 1) << i;
  engine->wait_for_warp();
  return bits;
}

template <class T>
static inline T atomicAdd(T* at, T x) {
  const T before = *at;
  *at = static_cast<T>(before + x);
  return before;
}
template <class T>
static inline T atomicMax(T* at, T x) {
  const T before = *at;
  if (x > before) *at = x;
  return before;
}
template <class T>
static inline T atomicMin(T* at, T x) {
  const T before = *at;
  if (x < before) *at = x;
  return before;
}
template <class T>
static inline T atomicExch(T* at, T x) {
  const T before = *at;
  *at = x;
  return before;
}
template <class T>
static inline T atomicCAS(T* at, T expected, T x) {
  const T before = *at;
  if (before == expected) *at = x;
  return before;
}
static inline void __threadfence() {}
template <class T>
static inline T __ldg(const T* at) {
  return *at;
}

static inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
static inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
static inline float __frcp_rn(float x) { return 1 / x; }
static inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
template <class T>
static inline T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
static inline T max(T a, T b) {
  return a < b ? b : a;
}
static inline float rsqrtf(float x) { return 1 / std::sqrt(x); }

#include "alula/core/half.h"
struct Half;
static inline float float_of(unsigned int bits) { return std::bit_cast<float>(bits); }
static inline double double_of(unsigned long long bits) { return std::bit_cast<double>(bits); }
static inline unsigned int bits_of(float x) { return std::bit_cast<unsigned int>(x); }
static inline unsigned long long bits_of(double x) { return std::bit_cast<unsigned long long>(x); }
static inline float to_float(Half x);
static inline void from_float(float x, Half& to);

/// Calls one thread of a kernel; the arguments come as a launch takes them.
template <int... kIndex>
struct Indices {};
template <int kCount, int... kIndex>
struct MakeIndices : MakeIndices<kCount - 1, kCount - 1, kIndex...> {};
template <int... kIndex>
struct MakeIndices<0, kIndex...> {
  using Type = Indices<kIndex...>;
};
template <class T>
struct Plain {
  using Type = T;
};
template <class T>
struct Plain<const T> {
  using Type = T;
};
template <class... A, int... kIndex>
static void call_thread(void (*kernel)(A...), void** arguments, Indices<kIndex...>) {
  kernel(*static_cast<typename Plain<A>::Type*>(arguments[kIndex])...);
}
template <class... A>
static void call_thread(void (*kernel)(A...), void** arguments) {
  call_thread(kernel, arguments, typename MakeIndices<sizeof...(A)>::Type());
}
/// How many bytes each argument of a kernel has.
template <class... A>
static const unsigned* sizes_of(void (*)(A...), unsigned* count) {
  static const unsigned sizes[] = {static_cast<unsigned>(sizeof(A))..., 0};
  *count = sizeof...(A);
  return sizes;
}

#endif
