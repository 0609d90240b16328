// Random numbers: words by Philox, eight or more counters at a time, then made into elements.
//
// This file is compiled with -ffp-contract=off: whether a multiplication and an addition are fused
// must not depend on the instruction set, since a seed gives the same uniforms everywhere.
#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "alula/backends/cpu/random.h"
#include "alula/backends/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "alula/backends/cpu/random_simd.cpp"
// clang-format off: the order matters
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace alula::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using random::Philox;

#if HWY_TARGET == HWY_SCALAR

void GenerateWords(const random::Stream& stream, int64_t begin, int64_t count, uint32_t* out) {
  for (int64_t i = 0; i < count; ++i) {
    const random::Words words = stream.words(static_cast<uint64_t>(begin + i));
    std::copy(words.begin(), words.end(), out + 4 * i);
  }
}

#else

/// Philox for a vector of counters, one a 64-bit lane: its words stand in the lanes' lower halves,
/// what is above is ignored.
template <class D, class V = hn::Vec<D>>
struct Counters {
  V c0, c1, c2, c3;

  Counters(D d, const random::Stream& stream, int64_t first) {
    c0 = hn::Iota(d, stream.low + static_cast<uint64_t>(first));
    c1 = hn::ShiftRight<32>(c0);
    c2 = hn::Set(d, stream.high);
    c3 = hn::Set(d, stream.high >> 32);
  }
  HWY_INLINE void round(D d, uint32_t k0, uint32_t k1) {
    const hn::Repartition<uint32_t, D> d32;
    const auto multiply_first = hn::BitCast(d32, hn::Set(d, Philox::kMultiplyFirst));
    const auto multiply_third = hn::BitCast(d32, hn::Set(d, Philox::kMultiplyThird));
    const V first = hn::MulEven(hn::BitCast(d32, c0), multiply_first);
    const V third = hn::MulEven(hn::BitCast(d32, c2), multiply_third);
    c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(third), c1), hn::Set(d, k0));
    c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(first), c3), hn::Set(d, k1));
    c1 = third;
    c3 = first;
  }
  HWY_INLINE void store(D d, uint64_t* to) const {
    const V lower = hn::Set(d, 0xFFFFFFFF);
    hn::StoreInterleaved2(hn::Or(hn::And(c0, lower), hn::ShiftLeft<32>(c1)),
                          hn::Or(hn::And(c2, lower), hn::ShiftLeft<32>(c3)), d, to);
  }
};

/// Two vectors at a time: a round waits for its products, and meanwhile the other's can be
/// computed.
void GenerateWords(const random::Stream& stream, int64_t begin, int64_t count, uint32_t* out) {
  const hn::ScalableTag<uint64_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto* to = reinterpret_cast<uint64_t*>(out);
  for (int64_t i = 0; i < count; i += 2 * lanes) {
    Counters a(d, stream, begin + i), b(d, stream, begin + i + lanes);
    auto k0 = static_cast<uint32_t>(stream.key), k1 = static_cast<uint32_t>(stream.key >> 32);
    for (int round = 0; round < Philox::kRounds; ++round) {
      a.round(d, k0, k1);
      b.round(d, k0, k1);
      k0 += Philox::kKeyStepLow;
      k1 += Philox::kKeyStepHigh;
    }
    a.store(d, to + 2 * i);
    b.store(d, to + 2 * (i + lanes));
  }
}

#endif

/// Elements are computed in multiples of this: two of the longest vectors, and more.
constexpr int64_t kPadding = 64;
constexpr int64_t padded(int64_t n) { return (n + kPadding - 1) / kPadding * kPadding; }
static_assert(padded(kRandomTile) == kRandomTile);

/// The uniform in [0, 1) that the words of element i make, in the type that T is computed in.
template <class T>
auto unit(const uint32_t* words, int64_t i) {
  if constexpr (std::is_same_v<T, double>) {
    const uint64_t mantissa = uint64_t{words[2 * i] & 0xFFFFF} << 32 | words[2 * i + 1];
    return std::bit_cast<double>(0x3FF0000000000000 | mantissa) - 1.0;
  } else if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(0x3F800000 | (words[i] & 0x7FFFFF)) - 1.0f;
  } else {
    constexpr int kBits = std::is_same_v<T, Half> ? 10 : 7;
    constexpr uint32_t kOne = 1u << kBits;
    return static_cast<float>(static_cast<int32_t>(words[i] & (kOne - 1))) * (1.0f / kOne);
  }
}

template <class T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T>
void uniform(const RandomJob& job, const uint32_t* words, int64_t n, T* out) {
  const auto scale = static_cast<Computed<T>>(job.scale);
  const auto shift = static_cast<Computed<T>>(job.shift);
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(unit<T>(words, i) * scale + shift);
}

/// x % range for 32 bits without a division (Lemire, Kaser and Kurz, "Faster remainder by direct
/// computation").
void uniform_integers(const RandomJob& job, const uint32_t* words, int64_t n, int32_t* out) {
  const uint64_t range = job.range, reciprocal = UINT64_MAX / range + 1;
  const auto low = static_cast<uint32_t>(job.low);
  for (int64_t i = 0; i < n; ++i) {
    const auto remainder = static_cast<uint32_t>(
        (static_cast<unsigned __int128>(reciprocal * words[i]) * range) >> 64);
    out[i] = static_cast<int32_t>(low + remainder);
  }
}

void uniform_integers(const RandomJob& job, const uint32_t* words, int64_t n, int64_t* out) {
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t word = words[2 * i] | uint64_t{words[2 * i + 1]} << 32;
    out[i] = static_cast<int64_t>(static_cast<uint64_t>(job.low) + word % job.range);
  }
}

/// Turns pairs of uniforms into pairs of normals. `n` is a multiple of kPadding.
template <class F>
void box_muller(F* numbers, int64_t n) {
  const hn::ScalableTag<F> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < n; i += 2 * lanes) {
    hn::Vec<decltype(d)> u, v;
    hn::LoadInterleaved2(d, numbers + i, u, v);
    const auto log = hn::Log(d, hn::Max(u, hn::Set(d, F(1e-7))));
    const auto radius = hn::Sqrt(hn::Mul(hn::Set(d, F(-2)), log));
    const auto angle = hn::Mul(hn::Set(d, F(6.283185307179586477)), v);
    hn::StoreInterleaved2(hn::Mul(radius, hn::Sin(d, angle)), hn::Mul(radius, hn::Cos(d, angle)), d,
                          numbers + i);
  }
}

/// z / y as a polynomial in w, where y = erf(z / sqrt(2)), w = -log(1 - y^2) - 1.2099514…, |z|
/// <= 2. Found by interpolation at Chebyshev's points; off by less than 5e-9 and 1e-17 of the
/// value.
constexpr float kInverseFloat[] = {1.6681679147226429f,     0.35257415186895654f,
                                   0.0039370613138421661f,  -0.0032191384263049736f,
                                   0.00019361705569657364f, 4.5758982215155208e-5f,
                                   -6.4962942062490087e-6f, -4.9920406649194619e-7f};
constexpr double kInverseDouble[] = {
    1.6681679208087217132,      0.35257415188525055502,     0.0039369281486169494645,
    -0.0032191387748111599164,  0.00019407434518031547444,  0.000045760031044961188212,
    -7.0029555813544155295e-6,  -4.9995521985369929279e-7,  1.8076423651729012052e-7,
    -1.9449050739928343757e-10, -3.961840380782532992e-9,   2.4017210511494341691e-10,
    7.434171448696795452e-11,   -9.7101095543230520851e-12, -1.0589858190679391721e-12,
    2.4969213913107608413e-13};
constexpr double kMiddle = 1.2099514409455524092;
constexpr double kWithinTwo = 0.95449973610364158560;  // erf(sqrt(2))

/// Turns numbers of (-1, 1) into normals of [-2, 2]. `n` is a multiple of kPadding.
template <class F, size_t kCount>
void invert_normal(F* numbers, int64_t n, const F (&coefficients)[kCount]) {
  const hn::ScalableTag<F> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < n; i += lanes) {
    const auto y = hn::Mul(hn::Load(d, numbers + i), hn::Set(d, F(kWithinTwo)));
    const auto log = hn::Log(d, hn::NegMulAdd(y, y, hn::Set(d, F(1))));
    const auto w = hn::Sub(hn::Neg(log), hn::Set(d, F(kMiddle)));
    auto ratio = hn::Set(d, coefficients[kCount - 1]);
    for (size_t k = kCount - 1; k-- > 0;) ratio = hn::MulAdd(ratio, w, hn::Set(d, coefficients[k]));
    const auto z = hn::Min(hn::Max(hn::Mul(y, ratio), hn::Set(d, F(-2))), hn::Set(d, F(2)));
    hn::Store(z, d, numbers + i);
  }
}

/// Normals of either kind: computed for some more elements than wanted, then scaled and rounded.
template <class T>
void normal(const RandomJob& job, const uint32_t* words, int64_t n, T* out) {
  using F = Computed<T>;
  HWY_ALIGN F numbers[kRandomTile];
  const int64_t computed = padded(n);
  for (int64_t i = 0; i < computed; ++i) numbers[i] = unit<F>(words, i);
  if (job.kind == RandomJob::Kind::kNormal) {
    box_muller(numbers, computed);
  } else {
    // From [0, 1) to the middles of as many pieces of (-1, 1): exact.
    constexpr F kHalfStep = std::is_same_v<F, double> ? F(0x1p-53) : F(0x1p-24f);
    for (int64_t i = 0; i < computed; ++i) numbers[i] = ((numbers[i] - F(0.5)) + kHalfStep) * F(2);
    if constexpr (std::is_same_v<F, double>)
      invert_normal(numbers, computed, kInverseDouble);
    else
      invert_normal(numbers, computed, kInverseFloat);
  }
  const auto scale = static_cast<F>(job.scale), shift = static_cast<F>(job.shift);
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(numbers[i] * scale + shift);
}

/// `one` is what the dtype's 1 looks like as an integer.
template <class T>
void bernoulli(const RandomJob& job, const uint32_t* words, int64_t n, T one, T* out) {
  if (job.threshold > UINT32_MAX) {
    std::fill_n(out, n, one);
    return;
  }
  const auto threshold = static_cast<uint32_t>(job.threshold);
  for (int64_t i = 0; i < n; ++i) out[i] = words[i] < threshold ? one : T{0};
}

template <class T>
void make(const RandomJob& job, const uint32_t* words, int64_t n, T* out) {
  using Kind = RandomJob::Kind;
  if (job.kind == Kind::kBernoulli) {
    using Bits = std::conditional_t<
        sizeof(T) == 1, uint8_t,
        std::conditional_t<sizeof(T) == 2, uint16_t,
                           std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;
    bernoulli(job, words, n, std::bit_cast<Bits>(static_cast<T>(1)), reinterpret_cast<Bits*>(out));
  } else if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>) {
    uniform_integers(job, words, n, out);
  } else if constexpr (!std::is_integral_v<T>) {
    job.kind == Kind::kUniform ? uniform(job, words, n, out) : normal(job, words, n, out);
  }
}

void Generate(const RandomJob& job, int64_t begin, int64_t count, void* out) {
  HWY_ALIGN uint32_t words[2 * kRandomTile];
  const bool two_words = size_of(job.dtype) == 8 && job.kind != RandomJob::Kind::kBernoulli;
  const int64_t per_block = two_words ? 2 : 4;
  with_type(job.dtype, [&]<class T>(Type<T>) {
    for (int64_t done = 0; done < count; done += kRandomTile) {
      const int64_t n = std::min(count - done, kRandomTile);
      GenerateWords(job.stream, (begin + done) / per_block, padded(n) / per_block, words);
      make(job, words, n, static_cast<T*>(out) + done);
    }
  });
}

}  // namespace alula::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alula::cpu {

HWY_EXPORT(Generate);
HWY_EXPORT(GenerateWords);

void generate(const RandomJob& job, int64_t begin, int64_t count, void* out) {
  HWY_DYNAMIC_DISPATCH(Generate)(job, begin, count, out);
}

void generate_words(const random::Stream& stream, int64_t begin, int64_t count, uint32_t* out) {
  HWY_DYNAMIC_DISPATCH(GenerateWords)(stream, begin, count, out);
}

}  // namespace alula::cpu
#endif
