#include "alula/core/dtype.h"

#include "alula/testing/harness.h"

using namespace alula;

TEST(DType, HasANameThatLeadsBackToIt) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_from(name_of(dtype)), dtype);
    EXPECT_EQ(fmt::format("{}", dtype), name_of(dtype));
  }
  EXPECT_EQ(name_of(bfloat16), "bfloat16");
  EXPECT_EQ(name_of(boolean), "bool");
  EXPECT_EQ(dtype_from("half"), float16);
  EXPECT_EQ(dtype_from("float"), float32);
  EXPECT_EQ(dtype_from("double"), float64);
}

TEST(DType, SaysWhichNamesThereAre) {
  for (const char* name : {"", "float8", "Float32", "int", " int32", "float32 "})
    EXPECT_ERROR(dtype_from(name), InvalidArgumentError,
                 fmt::format("dtype: there is none named \"{}\". Use one of float16, bfloat16, "
                             "float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, "
                             "uint64, bool, string.",
                             name));
}

TEST(DType, KnowsItsSizeAndItsType) {
  for (int i = 0; i < kDTypeCount - 1; ++i) {
    const auto dtype = static_cast<DType>(i);
    with_type(dtype, [&]<class T>(Type<T>) {
      EXPECT_EQ(size_of(dtype), sizeof(T)) << name_of(dtype);
      EXPECT_EQ(dtype_of<T>, dtype) << name_of(dtype);
    });
  }
  EXPECT_EQ(size_of(string), sizeof(std::string));
  EXPECT_EQ(dtype_of<long long>, int64);
  EXPECT_EQ(dtype_of<unsigned long long>, uint64);
}

TEST(DTypeSet, HoldsWhatItIsMadeOf) {
  const DTypeSet none;
  const DTypeSet two{int8, string};
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_FALSE(none.contains(dtype));
    EXPECT_TRUE(kAnyType.contains(dtype));
    EXPECT_TRUE(DTypeSet(dtype).contains(dtype));
    EXPECT_EQ(two.contains(dtype), dtype == int8 || dtype == string);
    EXPECT_EQ(kFloating.contains(dtype), is_floating(dtype));
    EXPECT_EQ(kIntegers.contains(dtype), is_integer(dtype));
    EXPECT_NE(kNumericOrBool.contains(dtype), dtype == string);
  }
  EXPECT_EQ(kFloating | kSignedIntegers, kSigned);
  EXPECT_EQ(kIntegers - kSignedIntegers, kUnsignedIntegers);
  EXPECT_EQ(kNumeric - kNumeric, none);
  EXPECT_EQ(to_string(none), "");
  EXPECT_EQ(to_string(two), "int8, string");
  EXPECT_EQ(to_string(kFloating), "float16, bfloat16, float32, float64");
}
