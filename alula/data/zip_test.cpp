#include "alula/data/dataset_test.h"
#include "alula/ops/operators.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

namespace {

/// The numbers below `count`, of which some fail.
Dataset failing(int64_t count, int64_t bad) {
  const auto make = [=] {
    return [=, i = int64_t{0}](Element& e) mutable {
      const int64_t mine = i++;
      require(mine != bad, "bad luck");
      e = Tensor(mine);
      return mine < count;
    };
  };
  return Dataset::from_generator(make, {{}, {{int64, {}}}});
}

}  // namespace

TEST(Zip, PairsUpToTheShortest) {
  const Dataset pairs = Dataset::zip({Dataset::range(3), Dataset::range(10, 20)});
  EXPECT_EQ(texts(pairs), (std::vector<std::string>{"(0, 10)", "(1, 11)", "(2, 12)"}));
  EXPECT_EQ(pairs.cardinality(), 3);
  EXPECT_EQ(to_string(pairs.element_spec()), "(int64[], int64[])");
  EXPECT_EQ(Dataset::zip({Dataset::range(3).repeat(), Dataset::range(4).repeat()}).cardinality(),
            kInfiniteCardinality);
  EXPECT_EQ(Dataset::zip({Dataset::range(3).repeat(), Dataset::range(4)}).cardinality(), 4);
  EXPECT_EQ(Dataset::zip({failing(3, -1), Dataset::range(4)}).cardinality(), kUnknownCardinality);
  EXPECT_EQ(Dataset::zip({Dataset::range(0), failing(3, -1)}).cardinality(), 0);
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
  const Dataset pairs = Dataset::zip({failing(6, 2), Dataset::range(6)});
  const std::vector<std::string> rest = {"(0, 0)", "(1, 1)", "(3, 3)", "(4, 4)", "(5, 5)"};
  EXPECT_EQ(texts(pairs.ignore_errors()), rest);
  // A batch that fails takes with it what it had read; what follows still belongs together.
  for (const Element& batch : pairs.batch(2).ignore_errors())
    EXPECT_EQ(batch[0].str(), batch[1].str());
}

TEST(Zip, WantsDataSets) {
  EXPECT_ERROR(Dataset::zip({}), InvalidArgumentError, "zip: there is no data set.");
}
