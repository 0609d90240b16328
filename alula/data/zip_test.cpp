#include "alula/data/dataset_test.h"
#include "alula/ops/host_function.h"
#include "alula/ops/operators.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

TEST(Zip, PairsUpToTheShortest) {
  const Dataset pairs = Dataset::zip({Dataset::range(3), Dataset::range(10, 20)});
  EXPECT_EQ(texts(pairs), (std::vector<std::string>{"(0, 10)", "(1, 11)", "(2, 12)"}));
  EXPECT_EQ(pairs.cardinality(), 3);
  EXPECT_EQ(to_string(pairs.element_spec()), "(int64[], int64[])");
  EXPECT_EQ(Dataset::zip({Dataset::range(3).repeat(), Dataset::range(4).repeat()}).cardinality(),
            kInfiniteCardinality);
  EXPECT_EQ(Dataset::zip({Dataset::range(3).repeat(), Dataset::range(4)}).cardinality(), 4);
  EXPECT_EQ(Dataset::zip({failing_numbers(3, -1), Dataset::range(4)}).cardinality(),
            kUnknownCardinality);
  EXPECT_EQ(Dataset::zip({Dataset::range(0), failing_numbers(3, -1)}).cardinality(), 0);
}

TEST(Zip, IsTheSameInBlocksAndRestores) {
  const Dataset three = Dataset::zip({Dataset::range(11),
                                      Dataset::range(9).map([](const Tensor& x) { return x * 2; }),
                                      Dataset::range(30).repeat()});
  expect_same_in_blocks(three);
  expect_restores_everywhere(three);
  expect_restores_everywhere(three.batch(4));
  EXPECT_NE(three.batch(4).explain().find("map: one call for 4 elements"), std::string::npos);
}

TEST(Zip, ShufflesSideBySideDiffer) {
  const auto shuffled = Dataset::range(50).shuffle(50, {.seed = 3});
  int same = 0;
  for (const Element& pair : Dataset::zip({shuffled, shuffled}))
    same += pair[0].str() == pair[1].str() ? 1 : 0;
  EXPECT_LT(same, 10);
  expect_restores_everywhere(Dataset::zip({shuffled, shuffled}));
}

TEST(Zip, StaysInStepAfterAnError) {
  const Dataset pairs = Dataset::zip({failing_numbers(6, 2), Dataset::range(6)});
  const std::vector<std::string> rest = {"(0, 0)", "(1, 1)", "(3, 3)", "(4, 4)", "(5, 5)"};
  EXPECT_EQ(texts(pairs.ignore_errors()), rest);
  // A batch that fails takes with it what it had read; what follows still belongs together.
  for (const Element& batch : pairs.batch(2).ignore_errors())
    EXPECT_EQ(batch[0].str(), batch[1].str());
}

TEST(Zip, WantsDataSets) {
  EXPECT_ERROR(Dataset::zip({}), InvalidArgumentError, "zip: there is no data set.");
}

TEST(Zip, StaysInStepAfterAnErrorInABlock) {
  const Tensor four = Tensor(std::vector<int64_t>{4, 5, 6, 7});
  const Dataset doubled = Dataset::range(40).map([](const Tensor& x) { return x * 2; });
  for (const bool fails_first : {false, true}) {
    const Dataset bad = failing_numbers(40, 1);
    const Dataset pairs = fails_first ? Dataset::zip({bad, doubled, Dataset::range(40)})
                                      : Dataset::zip({Dataset::range(40), doubled, bad});
    Iterator batches = pairs.batch(4).iterator();
    Element batch;
    EXPECT_ERROR(batches.next(batch), InvalidArgumentError, "number 1 is a bad one");
    ASSERT_TRUE(batches.next(batch));
    EXPECT_EQ(batch[0].str(), four.str());
    EXPECT_EQ(batch[2].str(), four.str());
    EXPECT_EQ(batch[1].tensor().to_vector<int64_t>(), (std::vector<int64_t>{8, 10, 12, 14}));
  }
  expect_goes_on_behind_an_error(
      [](const Dataset& each) { return Dataset::zip({Dataset::range(24), each}); });
  expect_goes_on_behind_an_error([](const Dataset& each) {
    return Dataset::zip({each, Dataset::range(30).map([](const Tensor& x) { return -x; }), each});
  });
}

TEST(Zip, StaysInStepAfterAnErrorWhileSkipping) {
  const Dataset pairs = Dataset::zip({Dataset::range(40), failing_numbers(40, 3)}).skip(6);
  for (const std::string& pair : survivors(pairs).elements)
    EXPECT_EQ(pair.substr(1, pair.find(',') - 1),
              pair.substr(pair.find(' ') + 1, pair.find(',') - 1))
        << pair;
}

TEST(Zip, RestoresBehindAnError) {
  const auto fifth_fails = [](const Tensor& x) {
    require(x.item<int64_t>() != 5, "number 5 is a bad one");
    return x;
  };
  const Dataset mapped = Dataset::range(20).map(
      [=](const Tensor& x) { return host_function(fifth_fails, x, {int64, {}}); });
  const Dataset batches = Dataset::zip({Dataset::range(20), mapped}).batch(4);
  Iterator first = batches.iterator(), second = batches.iterator();
  Element batch;
  ASSERT_TRUE(first.next(batch));
  EXPECT_ERROR(first.next(batch), InvalidArgumentError, "number 5 is a bad one");
  second.restore(first.save());
  ASSERT_TRUE(second.next(batch));
  EXPECT_EQ(batch[0].tensor().to_vector<int64_t>(), (std::vector<int64_t>{8, 9, 10, 11}));
  EXPECT_EQ(batch[0].str(), batch[1].str());
}
