#include "alula/data/dataset_test.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

namespace {

const ElementSpec kNumber{{}, {{int64, {}}}};

/// 0, 1, … to `count`.
Dataset counting(int64_t count) {
  return Dataset::from_generator(
      [count] {
        return [count, at = int64_t{0}](Element& element) mutable {
          element = Tensor(at);
          return at++ < count;
        };
      },
      kNumber);
}

}  // namespace

TEST(FromGenerator, BeginsAnewInEveryWalk) {
  const Dataset three = counting(3);
  EXPECT_EQ(numbers(three), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(numbers(three), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(three.cardinality(), kUnknownCardinality);
  expect_same_in_blocks(counting(10));
  expect_restores_everywhere(counting(4));
}

TEST(FromGenerator, ElementsMayDifferInShape) {
  const auto growing = [] {
    return [at = int64_t{0}](Element& element) mutable {
      element = Tensor(std::vector<int64_t>(static_cast<size_t>(++at), at));
      return at <= 3;
    };
  };
  const Dataset dataset = Dataset::from_generator(growing, {{}, {{int64, {kUnknown}}}});
  EXPECT_EQ(texts(dataset), (std::vector<std::string>{"[1]", "[2 2]", "[3 3 3]"}));
  EXPECT_ERROR(texts(dataset.batch(2)), InvalidArgumentError,
               "batch (step 2): element 1 cannot be stacked with those before it: it is "
               "int64[2], they are int64[1]. Use padded_batch");
}

TEST(FromGenerator, FailsAtTheElement) {
  const auto failing = [] {
    return [at = int64_t{0}](Element& element) mutable {
      element = Tensor(at++);
      if (at == 3) throw std::runtime_error("no such row");
      return at < 6;
    };
  };
  const Dataset dataset = Dataset::from_generator(failing, kNumber);
  EXPECT_ERROR(numbers(dataset), UnknownError, "from_generator (step 1): element 2: no such row");
  EXPECT_ERROR(numbers(dataset.prefetch(3)), UnknownError, "element 2: no such row");
}

TEST(FromGenerator, IsRestoredBehindAnError) {
  const Dataset dataset = failing_numbers(6, 2);
  Iterator first = dataset.iterator(), second = dataset.iterator();
  Element element;
  for (int i = 0; i < 4; ++i) try {
      first.next(element);
    } catch (const Error&) {
      element = Element();
    }
  second.restore(first.save());
  ASSERT_TRUE(second.next(element));
  EXPECT_EQ(element.tensor().item<int64_t>(), 4);
}

TEST(FromGenerator, IsHeldToWhatItAnnounced) {
  const Dataset wrong = Dataset::from_generator(
      [] { return [](Element& element) { return (element = Tensor(1.5f)), true; }; }, kNumber);
  EXPECT_ERROR(numbers(wrong), InvalidArgumentError,
               "element 0 is not what was announced, int64[]. Got 1.5");
  const Dataset unset =
      Dataset::from_generator([] { return [](Element&) { return true; }; }, kNumber);
  EXPECT_ERROR(numbers(unset), InvalidArgumentError, "element 0 is not what was announced");
  EXPECT_ERROR(Dataset::from_generator(nullptr, kNumber), InvalidArgumentError,
               "there is no function");
  EXPECT_ERROR(Dataset::from_generator([] { return nullptr; }, {{}, {}}), InvalidArgumentError,
               "the structure has 1 tensors. Got 0 specs");
}
