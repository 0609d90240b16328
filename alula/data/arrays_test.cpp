#include "alula/data/arrays.h"

#include <algorithm>

#include "alula/ops/fill.h"
#include "alula/ops/random.h"
#include "alula/ops/range.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// The elements of the first input, batch by batch.
std::vector<std::vector<int64_t>> walk(data::Source& source) {
  std::vector<std::vector<int64_t>> batches;
  const auto iterator = source.iterate();
  for (data::Batch batch; iterator->next(batch);)
    batches.push_back(batch.x[0].to_vector<int64_t>());
  return batches;
}

}  // namespace

TEST(Arrays, AreCutIntoBatches) {
  data::Arrays arrays({{range(0, 7, 1, int64)}, {ones({7, 2})}, {}}, {.batch_size = 3});
  EXPECT_EQ(arrays.rows(), 7);
  EXPECT_EQ(arrays.cardinality(), 3);
  const std::vector<std::vector<int64_t>> expected = {{0, 1, 2}, {3, 4, 5}, {6}};
  EXPECT_EQ(walk(arrays), expected);
  EXPECT_EQ(walk(arrays), expected);  // each walk begins at the start
  const auto iterator = arrays.iterate();
  data::Batch batch;
  ASSERT_TRUE(iterator->next(batch));
  EXPECT_EQ(to_string(batch.y[0].spec()), "float32[3,2]");
  EXPECT_TRUE(batch.sample_weight.empty());
}

TEST(Arrays, ShuffleAllAlikeAndAnewAtEveryWalk) {
  random::set_seed(1);
  const Tensor numbers = range(0, 100, 1, int64);
  data::Arrays arrays({{numbers}, {numbers}, {numbers}}, {.batch_size = 30, .shuffle = true});
  const auto iterator = arrays.iterate();
  std::vector<int64_t> seen;
  for (data::Batch batch; iterator->next(batch);) {
    const std::vector<int64_t> x = batch.x[0].to_vector<int64_t>();
    EXPECT_EQ(batch.y[0].to_vector<int64_t>(), x);
    EXPECT_EQ(batch.sample_weight[0].to_vector<int64_t>(), x);
    seen.insert(seen.end(), x.begin(), x.end());
  }
  EXPECT_FALSE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_NE(walk(arrays), walk(arrays));
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, numbers.to_vector<int64_t>());
}

TEST(Arrays, WithoutRowsGiveNoBatch) {
  data::Arrays arrays({{zeros({0, 2}, int64)}, {}, {}});
  EXPECT_EQ(arrays.cardinality(), 0);
  EXPECT_TRUE(walk(arrays).empty());
}

TEST(Arrays, SayWhatIsWrong) {
  EXPECT_ERROR(data::Arrays({{}, {}, {}}), InvalidArgumentError, "there is no input");
  EXPECT_ERROR(data::Arrays({{ones({3})}, {ones({4})}, {}}), InvalidArgumentError,
               "the same number of samples, 3. Got float32[4]");
  EXPECT_ERROR(data::Arrays({{ones({})}, {}, {}}), InvalidArgumentError, "needs a first dimension");
  EXPECT_ERROR(data::Arrays({{Tensor()}, {}, {}}), InvalidArgumentError, "needs a first dimension");
  EXPECT_ERROR(data::Arrays({{ones({3})}, {}, {}}, {.batch_size = 0}), InvalidArgumentError,
               "must be positive. Got 0");
}

TEST(Arrays, RowsOfATensor) {
  const Tensor x = {{1, 2}, {3, 4}, {5, 6}};
  expect_equal(data::rows(x, 1, 3), {{2, 2}, {3, 4, 5, 6}}, int32);
  EXPECT_TRUE(data::rows(x, 0, 3).same_as(x));  // nothing is copied
}
