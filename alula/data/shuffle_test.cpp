#include <algorithm>
#include <map>

#include "alula/data/dataset_test.h"
#include "alula/ops/operators.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

namespace {

using Numbers = std::vector<int64_t>;

Numbers sorted(Numbers numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// The same elements, but not in a form that can be picked from in any order.
Dataset hidden(const Dataset& dataset) {
  return dataset.map([](const Tensor& x) { return x + 0; });
}

}  // namespace

TEST(Shuffle, GivesAllElementsInAnotherOrderEachTime) {
  const Dataset shuffled = Dataset::range(100).shuffle(100);
  const Numbers first = numbers(shuffled), second = numbers(shuffled);
  EXPECT_NE(first, second);
  EXPECT_EQ(sorted(first), numbers(Dataset::range(100)));
  EXPECT_EQ(sorted(second), sorted(first));
  EXPECT_EQ(shuffled.cardinality(), 100);
}

TEST(Shuffle, PicksFromTheNextFewElements) {
  for (const Dataset& source : {Dataset::range(1000), hidden(Dataset::range(1000))}) {
    const Numbers order = numbers(source.shuffle(10));
    EXPECT_EQ(sorted(order), numbers(Dataset::range(1000)));
    for (int64_t i = 0; i < 1000; ++i) EXPECT_LT(order[static_cast<size_t>(i)], i + 10);
  }
}

TEST(Shuffle, EveryOrderIsEquallyLikely) {
  random::set_seed(4);
  std::map<Numbers, int> counts;
  const Dataset four = Dataset::range(4).shuffle(4);
  constexpr int kWalks = 12'000;
  for (int i = 0; i < kWalks; ++i) ++counts[flat_numbers(four.batch(4))];
  EXPECT_EQ(counts.size(), 24u);
  double chi_squared = 0;
  for (const auto& [order, count] : counts)
    chi_squared += (count - kWalks / 24.0) * (count - kWalks / 24.0) / (kWalks / 24.0);
  EXPECT_LT(chi_squared, 50);  // of 23 degrees of freedom; exceeded once in a thousand
}

TEST(Shuffle, IsTheSameByPositionAndByElement) {
  const ShuffleOptions fixed{.seed = 3, .reshuffle_each_iteration = false};
  const Dataset by_position = Dataset::range(50).shuffle(20, fixed);
  const Dataset by_element = hidden(Dataset::range(50)).shuffle(20, fixed);
  EXPECT_EQ(numbers(by_position), numbers(by_element));
  EXPECT_NE(by_position.explain().find("shuffle(20): by position"), std::string::npos);
  EXPECT_EQ(by_element.explain().find("by position"), std::string::npos);
  expect_same_in_blocks(by_position);
  expect_same_in_blocks(by_element);
}

TEST(Shuffle, ASeedFixesTheOrdersOfAllWalks) {
  const auto make = [] { return Dataset::range(30).shuffle(30, {.seed = 9}); };
  const Dataset one = make(), other = make();
  const Numbers first = numbers(one), second = numbers(one);
  EXPECT_NE(first, second);
  EXPECT_EQ(numbers(other), first);
  EXPECT_EQ(numbers(other), second);
  EXPECT_NE(numbers(Dataset::range(30).shuffle(30, {.seed = 10})), first);
}

TEST(Shuffle, CanKeepItsOrder) {
  const Dataset fixed = Dataset::range(30).shuffle(30, {.reshuffle_each_iteration = false});
  EXPECT_EQ(numbers(fixed), numbers(fixed));
  const Numbers twice = numbers(fixed.repeat(2));
  EXPECT_EQ(Numbers(twice.begin(), twice.begin() + 30), Numbers(twice.begin() + 30, twice.end()));
  const Numbers anew = numbers(Dataset::range(30).shuffle(30).repeat(2));
  EXPECT_NE(Numbers(anew.begin(), anew.begin() + 30), Numbers(anew.begin() + 30, anew.end()));
}

TEST(Shuffle, LosesNothingButTheElementThatFails) {
  Iterator i = failing_numbers(20, 6).shuffle(4).iterator();
  Numbers seen;
  int errors = 0;
  Element element;
  for (bool more = true; more;) try {
      more = i.next(element);
      if (more) seen.push_back(element.tensor().item<int64_t>());
    } catch (const Error&) {
      ++errors;
    }
  EXPECT_EQ(errors, 1);
  Numbers expected = numbers(Dataset::range(20));
  expected.erase(expected.begin() + 6);
  EXPECT_EQ(sorted(seen), expected);
}

TEST(Shuffle, IsSavedAndRestored) {
  expect_restores_everywhere(Dataset::range(12).shuffle(5));
  expect_restores_everywhere(hidden(Dataset::range(12)).shuffle(5));
  expect_restores_everywhere(Dataset::range(12).shuffle(5).batch(3).repeat(2));
}

TEST(Shuffle, SaysWhatIsWrong) {
  EXPECT_ERROR(Dataset::range(3).shuffle(0), InvalidArgumentError,
               "the size of the buffer must be positive. Got 0");
  const Dataset large = Dataset::from_generator([] { return [](Element&) { return false; }; },
                                                {{}, {{float32, {1000, 1000}}}});
  EXPECT_ERROR(texts(large.shuffle(10'000'000)), ResourceExhaustedError,
               "shuffle (step 2): a buffer of 10000000 elements float32[1000,1000] takes 40000.0 "
               "GB, but");
  EXPECT_ERROR(numbers(Dataset::range(int64_t{1} << 40).shuffle(int64_t{1} << 40)),
               ResourceExhaustedError, "takes 8796.1 GB");
}
