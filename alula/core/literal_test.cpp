#include "alula/core/literal.h"

#include <limits>

#include <gtest/gtest.h>

using namespace alula;

namespace {

std::vector<DType> dtypes_that_hold(Number number) {
  std::vector<DType> dtypes;
  for (int i = 0; i < kDTypeCount; ++i)
    if (number.fits(static_cast<DType>(i))) dtypes.push_back(static_cast<DType>(i));
  return dtypes;
}

}  // namespace

TEST(Number, HasTheDTypeOfItsType) {
  EXPECT_EQ(Number(true).natural_dtype(), boolean);
  EXPECT_EQ(Number(1).natural_dtype(), int32);
  EXPECT_EQ(Number(1u).natural_dtype(), uint32);
  EXPECT_EQ(Number(1l).natural_dtype(), int64);
  EXPECT_EQ(Number(1ll).natural_dtype(), int64);
  EXPECT_EQ(Number(size_t{1}).natural_dtype(), uint64);
  EXPECT_EQ(Number(int8_t{1}).natural_dtype(), int8);
  EXPECT_EQ(Number(uint16_t{1}).natural_dtype(), uint16);
  EXPECT_EQ(Number(5'000'000'000).natural_dtype(), int64);
  EXPECT_EQ(Number(1.f).natural_dtype(), float32);
  EXPECT_EQ(Number(1.0).natural_dtype(), float32);
  EXPECT_EQ(Number(Half(1)).natural_dtype(), float16);
  EXPECT_EQ(Number(BFloat16(1)).natural_dtype(), bfloat16);
}

TEST(Number, FitsTheDTypesThatHoldIt) {
  const std::vector<DType> all_numeric{float16, bfloat16, float32, float64, int8,   int16,
                                       int32,   int64,    uint8,   uint16,  uint32, uint64};
  EXPECT_EQ(dtypes_that_hold(0), all_numeric);
  EXPECT_EQ(dtypes_that_hold(127), all_numeric);
  EXPECT_EQ(dtypes_that_hold(true), std::vector<DType>{boolean});
  EXPECT_EQ(dtypes_that_hold(2.0), (std::vector<DType>{float16, bfloat16, float32, float64}));
  EXPECT_EQ(dtypes_that_hold(Half(2)), (std::vector<DType>{float16, bfloat16, float32, float64}));
  EXPECT_EQ(dtypes_that_hold(-1),
            (std::vector<DType>{float16, bfloat16, float32, float64, int8, int16, int32, int64}));
  EXPECT_EQ(dtypes_that_hold(UINT64_MAX),
            (std::vector<DType>{float16, bfloat16, float32, float64, uint64}));
}

TEST(Number, FitsUpToTheLimitsOfEachDType) {
  for (int i = 0; i < kDTypeCount - 1; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!is_integer(dtype)) continue;
    with_type(dtype, [&]<class T>(Type<T>) {
      if constexpr (std::integral<T> && !std::same_as<T, bool>) {
        constexpr T kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
        EXPECT_TRUE(Number(kLow).fits(dtype)) << name_of(dtype);
        EXPECT_TRUE(Number(kHigh).fits(dtype)) << name_of(dtype);
        T stored = 1;
        Number(kLow).store(dtype, &stored);
        EXPECT_EQ(stored, kLow);
        Number(kHigh).store(dtype, &stored);
        EXPECT_EQ(stored, kHigh);
        if constexpr (sizeof(T) < 8) {
          EXPECT_FALSE(Number(int64_t{kLow} - 1).fits(dtype)) << name_of(dtype);
          EXPECT_FALSE(Number(int64_t{kHigh} + 1).fits(dtype)) << name_of(dtype);
        }
      }
    });
  }
  EXPECT_FALSE(Number(uint64_t{INT64_MAX} + 1).fits(int64));
  EXPECT_TRUE(Number(uint64_t{INT64_MAX}).fits(int64));
  EXPECT_FALSE(Number(int64_t{-1}).fits(uint64));
  EXPECT_FALSE(Number(1).fits(string));
}

TEST(Number, KnowsItsValue) {
  EXPECT_EQ(Number(-3).as_double(), -3);
  EXPECT_EQ(Number(2.5f).as_double(), 2.5);
  EXPECT_EQ(Number(Half(0.5)).as_double(), 0.5);
  EXPECT_EQ(Number(UINT64_MAX).as_double(), 0x1p64);
  EXPECT_EQ(Number(INT64_MIN).as_double(), -0x1p63);
  EXPECT_EQ(Number(true).as_double(), 1);
}

TEST(Number, IsStoredAsAnElement) {
  float single = 0;
  Number(UINT64_MAX).store(float32, &single);
  EXPECT_EQ(single, 0x1p64f);
  Half half;
  Number(1e9).store(float16, &half);
  EXPECT_EQ(half.bits, std::numeric_limits<Half>::infinity().bits);
  BFloat16 bfloat;
  Number(-3).store(bfloat16, &bfloat);
  EXPECT_EQ(static_cast<float>(bfloat), -3.f);
  bool flag = false;
  Number(true).store(boolean, &flag);
  EXPECT_TRUE(flag);
}

TEST(Literal, IsANumberATextOrAList) {
  EXPECT_EQ(Literal(2).kind(), Literal::Kind::kNumber);
  EXPECT_EQ(Literal(Half(2)).number().as_double(), 2);
  EXPECT_EQ(Literal("a").text(), "a");
  const std::string word = "word";
  EXPECT_EQ(Literal(word).text(), "word");
  EXPECT_EQ(Literal(std::string_view(word)).kind(), Literal::Kind::kText);
  const auto count = [](const Literal& literal) { return literal.list().size(); };
  EXPECT_EQ(count({1, "a", {2, 3}}), 3u);
  EXPECT_EQ(count({}), 0u);
}
