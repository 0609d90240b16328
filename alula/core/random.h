#pragma once
#include <array>
#include <cstdint>

#include "alula/core/dtype.h"

/// Random numbers that are a function of a key and a counter, so that the i-th number of a call is
/// the same whichever thread or device computes it.
namespace alula::random {

/// Four random words.
using Words = std::array<uint32_t, 4>;

/// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3").
struct Philox {
  static constexpr int kRounds = 10;
  static constexpr uint32_t kMultiplyFirst = 0xD2511F53, kMultiplyThird = 0xCD9E8D57;
  static constexpr uint32_t kKeyStepLow = 0x9E3779B9, kKeyStepHigh = 0xBB67AE85;

  /// The words of a counter, whose lower half is `low`.
  static constexpr Words words(uint64_t key, uint64_t high, uint64_t low) {
    auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
    Words c{static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32),
            static_cast<uint32_t>(high), static_cast<uint32_t>(high >> 32)};
    for (int round = 0; round < kRounds; ++round) {
      const uint64_t first = uint64_t{kMultiplyFirst} * c[0];
      const uint64_t third = uint64_t{kMultiplyThird} * c[2];
      c = {static_cast<uint32_t>(third >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(third),
           static_cast<uint32_t>(first >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(first)};
      k0 += kKeyStepLow;
      k1 += kKeyStepHigh;
    }
    return c;
  }
};

/// Where the numbers of one call come from: a key, and the counter that they start at. As in
/// TensorFlow, the key is the first of two seeds and the counter's upper half is the second.
struct Stream {
  uint64_t key = 0;
  uint64_t high = 0;
  uint64_t low = 0;

  /// The i-th four words.
  constexpr Words words(uint64_t i) const { return Philox::words(key, high, low + i); }
};

/// An op's seed: a number, or none.
class Seed {
 public:
  constexpr Seed() = default;
  constexpr Seed(int64_t value) : value_(static_cast<uint64_t>(value)), given_(true) {}
  constexpr bool given() const { return given_; }
  constexpr uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0;
  bool given_ = false;
};

/// Sets the global seed, and starts every sequence anew. What ops then draw depends on it and
///   - without a seed of their own, on how many such calls there were since: A1, A2, …;
///   - with one, on that seed: the calls of one op with one seed are one sequence, too.
/// Before the first call of set_seed, ops with a seed draw the same in every process, and ops
/// without one never do.
void set_seed(int64_t seed);

/// The next `blocks` times four words of an op's sequence. It takes no lock if no seed is given.
Stream reserve(const char* op, DType dtype, Seed seed, uint64_t blocks);

/// A number of its own for each pair, spread over all 64 bits.
uint64_t mix(uint64_t a, uint64_t b);

/// The key of a sequence apart from all others, for a part of the library that numbers its draws
/// itself: the same in every process if a seed is given here or globally.
uint64_t new_key(const char* who, Seed seed = {});

/// While one lives, what ops of this thread draw is a function of keys and of the positions of
/// elements in a sequence: the same whether the elements come one by one, many at a time, in
/// whichever order and thread. The calls of one scope are numbered, so they must come in the same
/// order for all elements.
class ElementScope {
 public:
  struct Keys {
    uint64_t unseeded = 0;  // of ops without a seed
    uint64_t seeded = 0;
  };
  /// What is drawn is for the elements [first, first + count), an equal share of blocks each.
  ElementScope(const Keys& keys, uint64_t first, uint64_t count = 1);
  ~ElementScope();
  ElementScope(const ElementScope&) = delete;
  ElementScope& operator=(const ElementScope&) = delete;

  /// Where a call draws from that comes so many calls after the first of its scope, if what is
  /// drawn for the elements before takes `low` blocks.
  static Stream stream(const Keys& keys, Seed seed, uint64_t call, uint64_t low);

 private:
  friend Stream reserve(const char*, DType, Seed, uint64_t);
  Stream next(Seed seed, uint64_t blocks);

  Keys keys_;
  uint64_t first_;
  uint64_t count_;
  uint64_t calls_ = 0;
  ElementScope* outer_;
};

}  // namespace alula::random
