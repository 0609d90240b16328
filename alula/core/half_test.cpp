#include "alula/core/half.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

using namespace alula;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The nearest 16-bit number by search: of all finite ones, and infinity where the next one would
/// be. A tie goes to the even one.
template <class F>
class SlowRounding {
 public:
  SlowRounding() {
    // The bits of positive numbers are ordered as the numbers are.
    const uint16_t infinity = std::numeric_limits<F>::infinity().bits;
    for (uint16_t bits = 0; bits < infinity; ++bits)
      values_.push_back(static_cast<float>(F::from_bits(bits)));
    const size_t last = values_.size() - 1;
    values_.push_back(values_[last] + (static_cast<double>(values_[last]) - values_[last - 1]));
  }

  uint16_t operator()(float value) const {
    const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const double magnitude = std::abs(static_cast<double>(value));
    const auto above = std::lower_bound(values_.begin(), values_.end(), magnitude);
    if (above == values_.end()) return sign | static_cast<uint16_t>(values_.size() - 1);
    auto bits = static_cast<uint16_t>(above - values_.begin());
    if (bits > 0) {
      const double to_above = *above - magnitude, to_below = magnitude - above[-1];
      if (to_below < to_above || (to_below == to_above && bits % 2 == 1)) --bits;
    }
    return sign | bits;
  }

 private:
  std::vector<double> values_;
};

template <class F>
class HalfTest : public ::testing::Test {};
using Kinds = ::testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(HalfTest, Kinds);

}  // namespace

TYPED_TEST(HalfTest, EveryValueComesBackFromFloat) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const auto value = TypeParam::from_bits(static_cast<uint16_t>(bits));
    const auto as_float = static_cast<float>(value);
    const TypeParam back(as_float);
    if (std::isnan(as_float)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(back))) << bits;
    } else {
      EXPECT_EQ(back.bits, bits);
    }
  }
}

TYPED_TEST(HalfTest, RoundsToTheNearestEven) {
  const SlowRounding<TypeParam> slow;
  int wrong = 0;
  const auto check = [&](float value) {
    if (TypeParam(value).bits != slow(value) && ++wrong < 5)
      ADD_FAILURE() << value << ": " << TypeParam(value).bits << ", not " << slow(value);
  };
  // All values, the middles between neighbours, and what is just beside either.
  const uint16_t infinity = std::numeric_limits<TypeParam>::infinity().bits;
  for (uint16_t bits = 0; bits < infinity; ++bits) {
    const auto value = static_cast<float>(TypeParam::from_bits(bits));
    const auto next = static_cast<float>(TypeParam::from_bits(bits + 1));
    const float middle = next == kInfinity ? value * 1.0001f : value + (next - value) / 2;
    for (float near : {value, middle})
      for (float x : {near, std::nextafter(near, kInfinity), std::nextafter(near, 0.f)}) {
        check(x);
        check(-x);
      }
  }
  // Any bits that are no NaN: subnormal floats and overflow among them.
  std::mt19937 generator(7);
  for (int i = 0; i < 2'000'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(generator()));
    if (!std::isnan(value)) check(value);
  }
  for (float x : {65504.f, 65519.9f, 65520.f, 65536.f, 3.3895e38f, 3.39e38f, 3.4028235e38f,
                  kInfinity, 0.f, 1e-45f, 1.17549435e-38f, 2.9802322e-8f, 2.98023259e-8f})
    check(x);
  EXPECT_EQ(wrong, 0);
}

TYPED_TEST(HalfTest, KeepsNaN) {
  for (uint32_t bits : {0x7f800001u, 0x7fc00000u, 0x7fffffffu, 0xff800001u, 0xffffffffu}) {
    const TypeParam value(std::bit_cast<float>(bits));
    EXPECT_TRUE(std::isnan(static_cast<float>(value))) << bits;
    EXPECT_EQ(value.bits >> 15, bits >> 31) << bits;
  }
}

TYPED_TEST(HalfTest, KnowsItsLimits) {
  using Limits = std::numeric_limits<TypeParam>;
  const TypeParam one(1.f);
  EXPECT_EQ(static_cast<float>(Limits::epsilon()),
            static_cast<float>(TypeParam::from_bits(one.bits + 1)) - 1.f);
  EXPECT_EQ(static_cast<float>(Limits::infinity()), kInfinity);
  EXPECT_TRUE(std::isnan(static_cast<float>(Limits::quiet_NaN())));
  EXPECT_EQ(TypeParam::from_bits(Limits::max().bits + 1).bits, Limits::infinity().bits);
  EXPECT_EQ(static_cast<float>(Limits::lowest()), -static_cast<float>(Limits::max()));
  const bool is_half = std::is_same_v<TypeParam, Half>;
  EXPECT_EQ(static_cast<float>(Limits::min()), is_half ? 0x1p-14f : 0x1p-126f);
}

static_assert(static_cast<float>(Half(1.5f)) == 1.5f && Half(1.f).bits == 0x3c00);
static_assert(static_cast<float>(BFloat16(-2.f)) == -2.f && BFloat16(1.f).bits == 0x3f80);
