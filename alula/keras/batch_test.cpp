#include "alula/keras/batch.h"

#include <algorithm>

#include "alula/ops/fill.h"
#include "alula/ops/range.h"
#include "alula/ops/reshape.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::keras;

namespace {

/// The elements of the first input, batch by batch.
std::vector<std::vector<int64_t>> walk(const data::Dataset& dataset) {
  std::vector<std::vector<int64_t>> batches;
  BatchReader reader(dataset, "fit");
  for (Batch batch; reader.next(batch);) batches.push_back(batch.x[0].to_vector<int64_t>());
  return batches;
}

}  // namespace

TEST(Batches, AreCutFromArrays) {
  const data::Dataset arrays =
      batches_of({{range(0, 7, 1, int64)}, {ones({7, 2})}}, {.batch_size = 3});
  EXPECT_EQ(arrays.cardinality(), 3);
  const std::vector<std::vector<int64_t>> expected = {{0, 1, 2}, {3, 4, 5}, {6}};
  EXPECT_EQ(walk(arrays), expected);
  EXPECT_EQ(walk(arrays), expected);  // each walk begins at the start
  BatchReader reader(arrays, "fit");
  Batch batch;
  ASSERT_TRUE(reader.next(batch));
  EXPECT_EQ(to_string(batch.y[0].spec()), "float32[3,2]");
  EXPECT_TRUE(batch.sample_weight.empty());
}

TEST(Batches, AreShuffledAllAlikeAndAnewInEveryEpoch) {
  const Tensor numbers = range(0, 100, 1, int64);
  const data::Dataset arrays =
      batches_of({{numbers}, {numbers}, {numbers}}, {.batch_size = 30, .shuffle = true});
  std::vector<int64_t> seen;
  BatchReader reader(arrays, "fit");
  for (Batch batch; reader.next(batch);) {
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

TEST(Batches, OfADataSetAreInputsOutputsAndWeights) {
  const Tensor a = ones({4}), b = ones({4, 2}), c = ones({4, 3});
  const auto first = [](const data::Element& tensors) {
    Batch batch;
    BatchReader(data::Dataset::from_tensors(tensors), "fit").next(batch);
    return std::array{batch.x.size(), batch.y.size(), batch.sample_weight.size()};
  };
  EXPECT_EQ(first(a), (std::array<size_t, 3>{1, 0, 0}));
  EXPECT_EQ(first({a, b}), (std::array<size_t, 3>{1, 1, 0}));
  EXPECT_EQ(first({a, b, c}), (std::array<size_t, 3>{1, 1, 1}));
  EXPECT_EQ(first({data::Element{a, b}, c}), (std::array<size_t, 3>{2, 1, 0}));
  EXPECT_EQ(first({{"left", a}, {"right", b}}), (std::array<size_t, 3>{2, 0, 0}));
  EXPECT_ERROR(first({a, b, c, a}), InvalidArgumentError,
               "fit: the elements of a data set are x, (x, y) or (x, y, sample_weight). Got");
}

TEST(Batches, OfNoSamplesAreNone) {
  EXPECT_TRUE(walk(batches_of({{zeros({0, 2}, int64)}}, {.shuffle = true})).empty());
}

TEST(Batches, SayWhatIsWrongWithArrays) {
  EXPECT_ERROR(batches_of({{}}, {}), InvalidArgumentError, "there is no input");
  EXPECT_ERROR(batches_of({{ones({3})}, {ones({4})}}, {}), InvalidArgumentError,
               "the same number of samples, 3. Got float32[4]");
  EXPECT_ERROR(batches_of({{ones({})}}, {}), InvalidArgumentError, "needs a first dimension");
  EXPECT_ERROR(batches_of({{ones({3})}}, {.batch_size = 0}), InvalidArgumentError,
               "must be positive. Got 0");
}

TEST(Batches, CanBePartOfTheSamples) {
  const Tensor x = {{1, 2}, {3, 4}, {5, 6}};
  EXPECT_EQ(samples_of({{x}}, 1, 3).x[0].to_vector<int>(), (std::vector<int>{3, 4, 5, 6}));
}
