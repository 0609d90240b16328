#pragma once
#include <cstdint>
#include <functional>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "alula/core/error.h"

/// What parsers are tested with: thousands of damaged copies of a good file.
namespace alula::testing {

struct Mutations {
  int rounds = 3000;
  uint32_t seed = 1;
  size_t front = 0;  // damage only the first bytes, where the structure is; 0: anywhere
};

/// Flips, overwrites, inserts, removes or cuts off a few bytes.
inline std::string mutated(std::string bytes, std::mt19937& random, const Mutations& options) {
  const auto below = [&](size_t n) { return n == 0 ? 0 : random() % n; };
  const size_t changes = 1 + below(3);
  for (size_t i = 0; i < changes; ++i) {
    const size_t range = options.front == 0 ? bytes.size() : std::min(options.front, bytes.size());
    const size_t at = below(range);
    constexpr unsigned char kEdges[] = {0x00, 0x01, 0x7f, 0x80, 0xff, '"', '\\', '[', '{', '9'};
    if (bytes.empty()) break;
    switch (below(6)) {
      case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8))); break;
      case 1: bytes[at] = static_cast<char>(random()); break;
      case 2: bytes[at] = static_cast<char>(kEdges[below(sizeof(kEdges))]); break;
      case 3: bytes.resize(at); break;
      case 4: bytes.erase(at, 1 + below(8)); break;
      default: bytes.insert(at, 1 + below(8), static_cast<char>(random())); break;
    }
  }
  return bytes;
}

/// Parses many damaged copies. Each must parse or throw an alula::Error; anything else, a crash
/// above all, fails the test. Returns how many threw.
inline int survive(const std::string& good, const std::function<void(const std::string&)>& parse,
                   const Mutations& options = {}) {
  std::mt19937 random(options.seed);
  int thrown = 0;
  for (int round = 0; round < options.rounds; ++round) {
    const std::string bad = mutated(good, random, options);
    try {
      parse(bad);
    } catch (const Error& error) {
      EXPECT_FALSE(std::string(error.what()).empty());
      ++thrown;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "round " << round << ": " << error.what();
    }
  }
  for (size_t length = 0; length < good.size() && length < 2000; ++length)
    EXPECT_THROW(parse(good.substr(0, length)), Error) << "cut to " << length;
  return thrown;
}

}  // namespace alula::testing
