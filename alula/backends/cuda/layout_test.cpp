#include "alula/backends/cuda/layout.h"

#include <random>

#include <gtest/gtest.h>

using namespace alula;
using namespace alula::cuda;

namespace {

struct Inputs {
  std::vector<Spec> specs;
  std::vector<View> views;

  /// `address` stands for every tensor's data; nothing is read.
  explicit Inputs(std::vector<Spec> given, uintptr_t address = 4096) : specs(std::move(given)) {
    for (const Spec& spec : specs) views.push_back({&spec, reinterpret_cast<void*>(address)});
  }
};

Pattern pattern_of(std::vector<Spec> inputs, Spec output, uintptr_t address = 4096) {
  const Inputs in(std::move(inputs), address), out({output}, address);
  return Layout(in.views, out.views).pattern();
}

}  // namespace

TEST(CudaLayout, DividesLikeTheProcessor) {
  std::mt19937 generator(1);
  std::uniform_int_distribution<uint32_t> draw(1, (1u << 31) - 1);
  for (int i = 0; i < 200'000; ++i) {
    const uint32_t divisor = i < 2000 ? i + 1 : draw(generator) >> (i % 31);
    if (divisor == 0) continue;
    const Divider divider(divisor);
    for (uint32_t n : {0u, 1u, divisor - 1, divisor, draw(generator), (1u << 31) - 1})
      ASSERT_EQ(divider.divide(n), n / divisor) << n << " / " << divisor;
  }
}

TEST(CudaLayout, EqualShapesNeedNoRows) {
  const Pattern pattern =
      pattern_of({{float32, {3, 5}}, {float32, {}}, {float32, {3, 5}}}, {float32, {3, 5}});
  EXPECT_EQ(pattern.rank, 1);
  EXPECT_EQ(pattern.width, 4);
  EXPECT_FALSE(pattern.wide);
  EXPECT_EQ(pattern.inputs, (InlineVector<Access, 4>{Access::kSame, Access::kOne, Access::kSame}));
}

TEST(CudaLayout, BiasIsTwoDimensionsWhateverTheRank) {
  const Pattern pattern =
      pattern_of({{float32, {8, 28, 28, 32}}, {float32, {32}}}, {float32, {8, 28, 28, 32}});
  EXPECT_EQ(pattern.rank, 2);
  EXPECT_EQ(pattern.width, 4);
  EXPECT_EQ(pattern.inputs[1], Access::kRow);
}

TEST(CudaLayout, PacksFillSixteenBytesOfTheWidestDType) {
  EXPECT_EQ(pattern_of({{uint8, {64}}}, {uint8, {64}}).width, 16);
  EXPECT_EQ(pattern_of({{uint8, {64}}}, {float32, {64}}).width, 4);
  EXPECT_EQ(pattern_of({{float16, {64}}}, {float16, {64}}).width, 8);
  EXPECT_EQ(pattern_of({{float64, {64}}}, {boolean, {64}}).width, 2);
}

TEST(CudaLayout, PacksMustBeAlignedAndEndWithTheRow) {
  EXPECT_EQ(pattern_of({{float32, {64}}}, {float32, {64}}, 4100).width, 1);
  EXPECT_EQ(pattern_of({{uint8, {64}}}, {float32, {64}}, 4100).width, 1);
  EXPECT_EQ(pattern_of({{float32, {5, 6}}, {float32, {6}}}, {float32, {5, 6}}).width, 1);
  EXPECT_EQ(pattern_of({{float32, {5, 1}}, {float32, {8}}}, {float32, {5, 8}}).width, 4);
}

TEST(CudaLayout, ManyElementsNeedWidePositions) {
  const int64_t many = int64_t{1} << 31;
  EXPECT_TRUE(pattern_of({{uint8, {many}}}, {uint8, {many}}).wide);
  EXPECT_FALSE(pattern_of({{uint8, {many - 1}}}, {uint8, {many - 1}}).wide);
  const Pattern rows =
      pattern_of({{uint8, {many / 16, 16}}, {uint8, {16}}}, {uint8, {many / 16, 16}});
  EXPECT_TRUE(rows.wide);
  EXPECT_EQ(rows.rank, 2);
}
