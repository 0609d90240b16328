#include "alula/data/dataset_test.h"
#include "alula/ops/equal.h"
#include "alula/ops/floordiv.h"
#include "alula/ops/operators.h"
#include "alula/ops/random.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

namespace {

Tensor is_even(const Tensor& x) { return equal(floordiv(x, Tensor(int64_t{2})) * 2, x); }

}  // namespace

TEST(Filter, KeepsWhatPasses) {
  const Dataset even = Dataset::range(9).filter(is_even);
  EXPECT_EQ(numbers(even), (std::vector<int64_t>{0, 2, 4, 6, 8}));
  EXPECT_EQ(even.cardinality(), kUnknownCardinality);
  EXPECT_EQ(Dataset::range(0).filter(is_even).cardinality(), 0);
  EXPECT_EQ(to_string(even.element_spec()), "int64[]");
}

TEST(Filter, AsksForWholeBlocks) {
  const Dataset even = Dataset::range(100).filter(is_even);
  EXPECT_EQ(even.batch(32).explain(),
            "range: 100 numbers from 0\n"
            "filter: one call for 32 elements\n"
            "batch(32)\n"
            "gives int64[?]\n");
  expect_same_in_blocks(even);
  expect_same_in_blocks(Dataset::range(50).filter([](const Tensor& x) { return x > 47; }));
  expect_same_in_blocks(Dataset::range(50).filter([](const Tensor& x) { return x < 0; }));
}

TEST(Filter, RestoresEverywhere) {
  expect_restores_everywhere(Dataset::range(20).filter(is_even));
  expect_restores_everywhere(Dataset::range(20).filter(is_even).batch(3));
  // Of the second block, three elements wait for the next batch.
  expect_restores_everywhere(
      Dataset::range(20).filter([](const Tensor& x) { return x > 0; }).batch(4));
  const auto some = [](const Tensor&) { return random::uniform({}) < 0.5f; };
  expect_restores_everywhere(Dataset::range(40).filter(some).batch(4));
}

TEST(Filter, DrawsTheSameWhicheverWayItRuns) {
  const auto draw = [] {
    return Dataset::range(200).filter([](const Tensor&) { return random::uniform({}) < 0.5f; });
  };
  random::set_seed(3);
  const std::vector<int64_t> single = numbers(draw());
  random::set_seed(3);
  EXPECT_EQ(flat_numbers(draw().batch(16)), single);
  EXPECT_GT(single.size(), 60u);
  EXPECT_LT(single.size(), 140u);
}

TEST(Filter, TakesElementsOfManyShapes) {
  const auto make = [] {
    return [i = int64_t{0}](Element& e) mutable {
      e = Tensor(std::vector<float>(static_cast<size_t>(i)));
      return i++ < 6;
    };
  };
  const Dataset ragged = Dataset::from_generator(make, {{}, {{float32, {kUnknown}}}});
  EXPECT_EQ(texts(ragged.filter([](const Tensor&) { return constant(true); })).size(), 6u);
}

TEST(Filter, WantsATruthValue) {
  EXPECT_ERROR(Dataset::range(3).filter([](const Tensor& x) { return x; }), InvalidArgumentError,
               "filter: the function must give one truth value, bool[]. Got int64[].");
  EXPECT_ERROR(Dataset::range(3).filter([](const Tensor& x) { return std::tuple(x > 1, x > 2); }),
               InvalidArgumentError, "Got (bool[], bool[])");
}

TEST(Filter, GoesOnBehindAnError) {
  expect_goes_on_behind_an_error([](const Dataset& each) {
    return each.filter([](const Tensor& x) { return equal(x % 3, Tensor(int64_t{1})); });
  });
}
