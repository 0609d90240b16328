#include "alula/core/random.h"

#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <string_view>
#include <tuple>

namespace alula::random {
namespace {

/// What TensorFlow uses in place of a global seed that is not set.
constexpr uint64_t kDefaultSeed = 87654321;

/// Spreads small numbers over all 64 bits, one to one (the finish of SplitMix64), so that numbered
/// calls are far from the seeds that users pick.
constexpr uint64_t spread(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

uint64_t from_the_system() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

class State {
 public:
  void set_seed(uint64_t seed) {
    const std::lock_guard lock(mutex_);
    unseeded_key_.store(seed);
    seeded_key_ = seed;
    calls_.store(0);
    sequences_.clear();
  }

  Stream next_call() {
    const uint64_t call = calls_.fetch_add(1, std::memory_order_relaxed);
    return {.key = unseeded_key_.load(std::memory_order_relaxed), .high = spread(call)};
  }

  Stream continued(const char* op, DType dtype, uint64_t seed, uint64_t blocks) {
    const std::lock_guard lock(mutex_);
    uint64_t& used = sequences_[{op, dtype, seed}];
    const Stream stream{.key = seeded_key_, .high = seed, .low = used};
    used += blocks;
    return stream;
  }

 private:
  std::atomic<uint64_t> unseeded_key_ = from_the_system();
  std::atomic<uint64_t> calls_ = 0;
  std::mutex mutex_;
  uint64_t seeded_key_ = kDefaultSeed;
  /// How many blocks each op has drawn with each of its seeds.
  std::map<std::tuple<std::string_view, DType, uint64_t>, uint64_t> sequences_;
};

State& state() {
  static State* state = new State;  // threads may draw while the process ends
  return *state;
}

constinit thread_local ElementScope* t_scope = nullptr;

}  // namespace

void set_seed(int64_t seed) { state().set_seed(static_cast<uint64_t>(seed)); }

uint64_t mix(uint64_t a, uint64_t b) { return spread(spread(a) ^ b); }

uint64_t new_key(const char* who, Seed seed) {
  const Words words = reserve(who, DType::kInt64, seed, 1).words(0);
  return uint64_t{words[1]} << 32 | words[0];
}

ElementScope::ElementScope(const Keys& keys, uint64_t first, uint64_t count)
    : keys_(keys), first_(first), count_(count), outer_(t_scope) {
  t_scope = this;
}

ElementScope::~ElementScope() { t_scope = outer_; }

Stream ElementScope::stream(const Keys& keys, Seed seed, uint64_t call, uint64_t low) {
  return {.key = seed.given() ? mix(keys.seeded, seed.value()) : keys.unseeded,
          .high = spread(call),
          .low = low};
}

Stream ElementScope::next(Seed seed, uint64_t blocks) {
  return stream(keys_, seed, calls_++, first_ * (blocks / count_));
}

Stream reserve(const char* op, DType dtype, Seed seed, uint64_t blocks) {
  if (t_scope != nullptr) return t_scope->next(seed, blocks);
  return seed.given() ? state().continued(op, dtype, seed.value(), blocks) : state().next_call();
}

}  // namespace alula::random
