#include "alula/data/dataset_test.h"
#include "alula/ops/operators.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

namespace {

Tensor negated(const Tensor& x) { return -x; }

}  // namespace

TEST(Shard, TakesEveryNth) {
  EXPECT_EQ(numbers(Dataset::range(10).shard(3, 0)), (std::vector<int64_t>{0, 3, 6, 9}));
  EXPECT_EQ(numbers(Dataset::range(10).shard(3, 1)), (std::vector<int64_t>{1, 4, 7}));
  EXPECT_EQ(Dataset::range(10).shard(3, 0).cardinality(), 4);
  EXPECT_EQ(Dataset::range(10).shard(3, 1).cardinality(), 3);
  EXPECT_EQ(numbers(Dataset::range(2).shard(5, 3)), (std::vector<int64_t>{}));
  const Dataset mapped = Dataset::range(10).map(negated);
  EXPECT_EQ(numbers(mapped.shard(4, 2)), (std::vector<int64_t>{-2, -6}));
  EXPECT_EQ(mapped.shard(4, 2).cardinality(), 2);
}

TEST(Shard, OfElementsInAnyOrderIsOneOfThem) {
  const Dataset some = Dataset::range(100).shard(3, 2).shuffle(50);
  EXPECT_NE(some.explain().find("shuffle(50): by position"), std::string::npos);
  std::vector<int64_t> all = numbers(some);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, numbers(Dataset::range(2, 100, 3)));
}

TEST(Shard, IsTheSameInBlocksAndRestores) {
  for (const Dataset& source : {Dataset::range(40), Dataset::range(40).map(negated)})
    for (const int64_t shards : {1, 3, 50}) {
      expect_same_in_blocks(source.shard(shards, shards - 1));
      expect_restores_everywhere(source.shard(shards, 0));
      expect_restores_everywhere(source.shard(shards, 0).batch(3));
    }
}

TEST(Shard, ChecksItsNumbers) {
  EXPECT_ERROR(Dataset::range(3).shard(0, 0), InvalidArgumentError,
               "shard: the number of shards must be positive. Got 0.");
  EXPECT_ERROR(Dataset::range(3).shard(2, 2), InvalidArgumentError, "Got 2.");
  EXPECT_ERROR(Dataset::range(3).shard(2, -1), InvalidArgumentError, "Got -1.");
}

TEST(Shard, ElementsThatFailAreCounted) {
  for (const int64_t shards : {1, 2, 3, 5})
    for (int64_t index = 0; index < shards; ++index)
      for (const int64_t bad : {0, 1, 2, 5, 9}) {
        std::vector<std::string> all;
        for (int64_t i = index; i < 10; i += shards)
          if (i != bad) all.push_back(std::to_string(i));
        const Dataset shard = failing_numbers(10, bad).shard(shards, index);
        EXPECT_EQ(survivors(shard).elements, all) << bad << " fails: " << index << "/" << shards;
      }
  EXPECT_EQ(numbers(failing_numbers(10, 2).shard(2, 1).ignore_errors()),
            (std::vector<int64_t>{1, 3, 5, 7, 9}));
  for (const int64_t index : {0, 1, 2})
    expect_goes_on_behind_an_error([=](const Dataset& each) { return each.shard(3, index); });
}
