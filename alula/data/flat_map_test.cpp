#include "alula/data/dataset_test.h"
#include "alula/ops/concat.h"
#include "alula/ops/operators.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

namespace {

Dataset up_to(const Tensor& x) { return Dataset::range(x.item<int64_t>()); }

}  // namespace

TEST(FlatMap, JoinsDataSets) {
  const Dataset flat = Dataset::range(4).flat_map(up_to);
  EXPECT_EQ(numbers(flat), (std::vector<int64_t>{0, 0, 1, 0, 1, 2}));
  EXPECT_EQ(flat.cardinality(), kUnknownCardinality);
  EXPECT_EQ(to_string(flat.element_spec()), "int64[]");
  EXPECT_EQ(Dataset::range(0).flat_map(up_to).cardinality(), 0);
  EXPECT_EQ(texts(Dataset::range(0).flat_map(up_to)).size(), 0u);
}

TEST(FlatMap, IsTheSameInBlocksAndRestores) {
  const Dataset flat = Dataset::range(6).flat_map(up_to);
  expect_same_in_blocks(flat);
  expect_restores_everywhere(flat);
  expect_restores_everywhere(flat.batch(4));
  expect_restores_everywhere(flat.flat_map(up_to).prefetch(2));
}

TEST(FlatMap, ShufflesEachInItsOwnWay) {
  const auto shuffled = [](const Tensor&) { return Dataset::range(20).shuffle(20, {.seed = 1}); };
  const Dataset flat = Dataset::range(2).flat_map(shuffled);
  const std::vector<int64_t> all = numbers(flat);
  EXPECT_NE(std::vector<int64_t>(all.begin(), all.begin() + 20),
            std::vector<int64_t>(all.begin() + 20, all.end()));
  expect_restores_everywhere(flat);
}

TEST(FlatMap, FindsOutWhatDependsOnShapes) {
  const auto make = [] {
    return [i = int64_t{0}](Element& e) mutable {
      e = Tensor(std::vector<float>(static_cast<size_t>(i / 3)));
      return i++ < 9;
    };
  };
  const Dataset ragged = Dataset::from_generator(make, {{}, {{float32, {kUnknown}}}});
  const auto whole = [](const Tensor& x) { return Dataset::from_tensors(x); };
  EXPECT_EQ(to_string(ragged.flat_map(whole).element_spec()), "float32[?]");
  EXPECT_EQ(texts(ragged.flat_map(whole)).size(), 9u);
}

TEST(FlatMap, NamesTheElementThatFails) {
  const auto fails_at_two = [](const Tensor& x) {
    if (x.item<int64_t>() == 2) throw std::runtime_error("no twos");
    return Dataset::from_tensors(x);
  };
  EXPECT_ERROR(texts(Dataset::range(4).flat_map(fails_at_two)), UnknownError,
               "flat_map (step 2): element 2: no twos");
  EXPECT_EQ(numbers(Dataset::range(4).flat_map(fails_at_two).ignore_errors()),
            (std::vector<int64_t>{0, 1, 3}));
  const auto fails_at_once = [](const Tensor&) -> Dataset { throw std::runtime_error("never"); };
  EXPECT_ERROR(Dataset::range(4).flat_map(fails_at_once), UnknownError,
               "flat_map: making the data set of the first element failed: never");
  const auto inside = [](const Tensor& x) {
    const auto make = [n = x.item<int64_t>()] {
      return [n](Element&) -> bool { fail("broken {}", n); };
    };
    return Dataset::from_generator(make, {{}, {{int64, {}}}});
  };
  EXPECT_ERROR(texts(Dataset::range(4).flat_map(inside)), InvalidArgumentError,
               "flat_map (step 2): in the data set of element 0: from_generator (step 1): element "
               "0: broken 0");
}

TEST(FlatMap, WantsDataSetsOfOneKind) {
  const auto changes = [](const Tensor& x) {
    return x.item<int64_t>() == 0 ? Dataset::range(2) : Dataset::from_tensors(Tensor(1.5f));
  };
  EXPECT_ERROR(texts(Dataset::range(2).flat_map(changes)), InvalidArgumentError,
               "element 1: its data set gives float32[], but that of the first element int64[].");
  const auto grows = [](const Tensor& x) { return Dataset::range(6).batch(3 + x.item<int64_t>()); };
  EXPECT_ERROR(texts(Dataset::range(2).flat_map(grows)), InvalidArgumentError,
               "in the data set of element 1: there is int64[4]");
}

TEST(FlatMap, GoesOnBehindAnError) {
  const auto two = [](const Tensor& x) { return Dataset::from_tensor_slices(stack({x, -x})); };
  // The first element is looked at when the data set is made: it must be a good one.
  expect_goes_on_behind_an_error(
      [&](const Dataset& each) { return Dataset::range(1).concatenate(each).flat_map(two); },
      {.lost = 2});
}
