// What ops_test cannot see of reductions: positions beyond 32 bits, labels that are no class, and
// sums that are the same at every run.
#include <cmath>

#include "alula/ops/arg_reduce.h"
#include "alula/ops/cross_entropy.h"
#include "alula/ops/pad.h"
#include "alula/ops/reduce.h"
#include "alula/testing/gpu.h"

using namespace alula;
using namespace alula::testing;
using GpuReduction = GpuTest;

/// A matrix of more than 2^31 elements, of which only the last rows are not 0.
TEST_F(GpuReduction, PositionsHave64BitsWhereTheyNeedThem) {
  constexpr int64_t kColumns = 4096, kRows = (int64_t{1} << 31) / kColumns;
  if (gpu().memory().total < int64_t{8} << 30) GTEST_SKIP() << "takes 4 GiB";
  const Tensor pattern = random_tensor({uint8, {40, kColumns}}, {1, 255});
  const auto columns = reduce_max(pattern, {.axis = 0}).to_vector<uint8_t>();
  const auto rows = reduce_max(pattern, {.axis = 1}).to_vector<uint8_t>();
  auto places = argmax(pattern, {.axis = 0}).to_vector<int64_t>();
  for (int64_t& place : places) place += kRows;

  const Tensor small = pattern.to(kGpu);
  const OnGpu only;
  const Tensor x = pad(small, {{kRows, 0}, {0, 0}});
  EXPECT_EQ(reduce_max(x, {.axis = 0}).to_vector<uint8_t>(), columns);
  EXPECT_EQ(argmax(x, {.axis = 0}).to_vector<int64_t>(), places);
  const auto all_rows = reduce_max(x, {.axis = 1}).to_vector<uint8_t>();
  EXPECT_EQ(std::vector<uint8_t>(all_rows.end() - 40, all_rows.end()), rows);
}

/// A label that is no class makes its own loss and gradient NaN, and no others.
TEST_F(GpuReduction, LabelsThatAreNoClassGiveNaN) {
  const Tensor labels = Tensor{1, -1, 3, 0}.to(kGpu), ones = Tensor{1.f, 1.f, 1.f, 1.f}.to(kGpu);
  const Tensor logits = random_tensor({float32, {4, 3}}).to(kGpu);
  const OnGpu only;
  const auto losses = sparse_softmax_cross_entropy(labels, logits).to_vector<float>();
  const auto gradients =
      sparse_softmax_cross_entropy_gradient(labels, logits, ones).to_vector<float>();
  for (size_t row = 0; row < 4; ++row) {
    const bool bad = row == 1 || row == 2;
    EXPECT_EQ(std::isnan(losses[row]), bad) << row;
    for (size_t k = 0; k < 3; ++k) EXPECT_EQ(std::isnan(gradients[3 * row + k]), bad) << row;
  }
}

/// Whichever block comes first: rows and columns that are cut into parts.
TEST_F(GpuReduction, SumsAreTheSameAtEveryRun) {
  const Tensor x = random_tensor({float32, {100'000, 32}}, {-1, 1}).to(kGpu);
  const OnGpu only;
  const auto columns = reduce_sum(x, {.axis = 0}).to_vector<float>();
  const float all = reduce_sum(x).item<float>();
  for (int run = 0; run < 5; ++run) {
    EXPECT_EQ(reduce_sum(x, {.axis = 0}).to_vector<float>(), columns);
    EXPECT_EQ(reduce_sum(x).item<float>(), all);
  }
}
