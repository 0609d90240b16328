#include "alula/core/log.h"
#include "alula/data/dataset_test.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

namespace {

/// The numbers below 10; those that are multiples of three throw.
Dataset every_third_fails() {
  const auto make = [] {
    return [i = int64_t{0}](Element& e) mutable {
      const int64_t mine = i++;
      if (mine < 10 && mine % 3 == 0) throw std::runtime_error("no threes please");
      e = Tensor(mine);
      return mine < 10;
    };
  };
  return Dataset::from_generator(make, {{}, {{int64, {}}}});
}

/// Collects what is logged while it lives.
class Logged {
 public:
  Logged()
      : before_(logging::set_handler(
            [this](logging::Level, std::string_view text) { messages.emplace_back(text); })) {}
  ~Logged() { logging::set_handler(before_); }
  std::vector<std::string> messages;

 private:
  logging::Handler before_;
};

}  // namespace

TEST(IgnoreErrors, LeavesOutWhatFailsAndSaysSoOnce) {
  const Logged log;
  const Dataset rest = every_third_fails().ignore_errors();
  EXPECT_EQ(rest.explain().find("left out"), std::string::npos);
  EXPECT_EQ(numbers(rest), (std::vector<int64_t>{1, 2, 4, 5, 7, 8}));
  EXPECT_EQ(numbers(rest).size(), 6u);
  ASSERT_EQ(log.messages.size(), 1u);
  EXPECT_NE(log.messages[0].find("from_generator (step 1): element 0: no threes please"),
            std::string::npos)
      << log.messages[0];
  EXPECT_NE(rest.explain().find("ignore_errors: 8 left out so far"), std::string::npos);
  EXPECT_EQ(rest.cardinality(), kUnknownCardinality);
}

TEST(IgnoreErrors, IsTheSameInBlocksAndRestores) {
  const Logged log;
  expect_same_in_blocks(every_third_fails().ignore_errors());
  const Dataset source = Dataset::range(12).ignore_errors();
  expect_restores_everywhere(source);
  expect_restores_everywhere(source.batch(5));
}

TEST(IgnoreErrors, LetsThroughWhatIsNoFaultOfAnElement) {
  // An element as large as no machine's memory.
  const auto make = [] { return [](Element&) { return false; }; };
  const Dataset large =
      Dataset::from_generator(make, {{}, {{float32, {int64_t{1} << 20, int64_t{1} << 20}}}});
  EXPECT_ERROR(texts(large.shuffle(1 << 20).repeat(2).ignore_errors()), ResourceExhaustedError,
               "shuffle");
}
