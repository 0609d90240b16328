#include <atomic>
#include <thread>

#include "alula/data/dataset_test.h"
#include "alula/ops/cast.h"
#include "alula/ops/floordiv.h"
#include "alula/ops/host_function.h"
#include "alula/ops/operators.h"
#include "alula/ops/random.h"
#include "alula/ops/reduce.h"
#include "alula/runtime/variable.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

namespace {

Dataset images() {
  random::set_seed(5);
  return Dataset::from_tensor_slices({random::uniform({50, 4, 3}), random::uniform({50})});
}

/// Draws of several kinds and odd sizes, so that an element's share of the numbers matters.
Element augmented(const Tensor& image, const Tensor& label) {
  return {image + random::uniform({}) + random::normal({3}),
          label * random::uniform({}, {.seed = 3}), random::shuffle(image),
          random::bernoulli({5}, {.dtype = int32})};
}

std::vector<std::string> with_seed(const Dataset& dataset) {
  random::set_seed(7);
  return texts(dataset);
}

}  // namespace

TEST(Map, CallsAFunctionForEachElement) {
  const Dataset squares = Dataset::range(5).map([](const Tensor& x) { return x * x; });
  EXPECT_EQ(numbers(squares), (std::vector<int64_t>{0, 1, 4, 9, 16}));
  EXPECT_EQ(squares.cardinality(), 5);
  EXPECT_EQ(to_string(squares.element_spec()), "int64[]");
}

TEST(Map, TakesAndGivesTuplesNamesAndElements) {
  const Dataset pairs = Dataset::from_tensor_slices({Tensor{1, 2}, Tensor{10, 20}});
  const auto sum = [](const Tensor& a, const Tensor& b) { return std::tuple(a + b, a); };
  EXPECT_EQ(texts(pairs.map(sum)), (std::vector<std::string>{"(11, 1)", "(22, 2)"}));
  const auto named = [](const Element& e) {
    return Element{{"sum", e[0].tensor() + e[1].tensor()}, {"both", e}};
  };
  EXPECT_EQ(texts(pairs.map(named)),
            (std::vector<std::string>{"{sum: 11, both: (1, 10)}", "{sum: 22, both: (2, 20)}"}));
  const auto first = [](const Element& e) { return e["both"][0]; };
  EXPECT_EQ(texts(pairs.map(named).map(first)), (std::vector<std::string>{"1", "2"}));
  const auto generic = [](const auto& a, const auto& b) { return a * b; };
  EXPECT_EQ(texts(pairs.map(generic)), (std::vector<std::string>{"10", "40"}));
}

TEST(Map, RunsHostCodeOnce) {
  int calls = 0;
  const Dataset counted = Dataset::range(10).map([&](const Tensor& x) {
    ++calls;
    return x + 1;
  });
  EXPECT_EQ(numbers(counted).size(), 10u);
  EXPECT_EQ(numbers(counted).size(), 10u);
  EXPECT_EQ(calls, 1);
}

TEST(Map, IsOneCallABatch) {
  const Dataset mapped = Dataset::range(100).map([](const Tensor& x) { return x * 2; });
  EXPECT_EQ(mapped.batch(32).explain(),
            "range: 100 numbers from 0\n"
            "map: one call for 32 elements\n"
            "batch(32)\n"
            "gives int64[?]\n");
  EXPECT_NE(mapped.explain().find("map: one call an element"), std::string::npos);
  expect_same_in_blocks(mapped);
}

TEST(Map, RunsForMoreSizesOfBlocksThanItKeeps) {
  const Dataset mapped = Dataset::range(30).map([](const Tensor& x) { return x * 2; });
  const std::vector<int64_t> expected = numbers(mapped);
  for (int64_t round = 0; round < 2; ++round)
    for (int64_t size = 2; size < 15; ++size)
      EXPECT_EQ(flat_numbers(mapped.batch(size)), expected) << size;
}

TEST(Map, GivesTheSameNumbersWhicheverWayItRuns) {
  const Dataset source = images();
  const std::vector<std::string> single = with_seed(source.map(augmented));
  EXPECT_NE(single, with_seed(source.map(augmented).skip(1)));
  random::set_seed(8);
  EXPECT_NE(single, texts(source.map(augmented)));
  for (const int64_t calls : {int64_t{0}, int64_t{1}, int64_t{3}, AUTOTUNE})
    for (const int64_t size : {1, 8, 50}) {
      const Dataset mapped = source.map(augmented, {.num_parallel_calls = calls});
      EXPECT_EQ(with_seed(mapped.batch(size).unbatch().prefetch(2)), single)
          << calls << " calls at once, batches of " << size;
    }
}

TEST(Map, DrawsTheSameBehindAnErrorWhicheverWayItRuns) {
  const auto noisy = [](const Tensor& x) { return cast(x, float32) + random::uniform({}); };
  const auto behind = [&](const MapOptions& options, int64_t size) {
    random::set_seed(7);
    const Survivors all =
        survivors(failing_numbers(24, 5).map(noisy, options).batch(size), Unpack::kYes);
    return std::vector<std::string>(all.elements.end() - 16, all.elements.end());
  };
  const std::vector<std::string> single = behind({}, 1);
  for (const int64_t calls : {int64_t{0}, int64_t{1}, int64_t{3}, AUTOTUNE})
    for (const int64_t size : {1, 2, 4, 8})
      EXPECT_EQ(behind({.num_parallel_calls = calls}, size), single)
          << calls << " calls at once, batches of " << size;
}

TEST(Map, DrawsAnewInEachWalk) {
  const Dataset source = images(), mapped = source.map(augmented), again = source.map(augmented);
  random::set_seed(1);
  const std::vector<std::string> first = texts(mapped), second = texts(mapped);
  EXPECT_NE(first, second);
  random::set_seed(1);
  EXPECT_EQ(texts(again), first);
  EXPECT_EQ(texts(again), second);
  const Dataset twice = Dataset::from_tensors(Tensor(0.f)).map([](const Tensor& x) {
    return x + random::uniform({});
  });
  const std::vector<std::string> repeated = texts(twice.repeat(2));
  EXPECT_NE(repeated[0], repeated[1]);
}

TEST(Map, ReadsVariablesAsTheyAreWhenAWalkBegins) {
  Variable v(Tensor(int64_t{10}));
  const Dataset mapped = Dataset::range(3).map([&](const Tensor& x) { return x + v; });
  EXPECT_EQ(numbers(mapped), (std::vector<int64_t>{10, 11, 12}));
  v.assign(Tensor(int64_t{20}));
  EXPECT_EQ(flat_numbers(mapped.batch(2)), (std::vector<int64_t>{20, 21, 22}));
}

TEST(Map, NamesTheElementThatFails) {
  for (const int64_t calls : {int64_t{0}, int64_t{2}, AUTOTUNE}) {
    const Dataset mapped =
        Dataset::range(-2, 3).map([](const Tensor& x) { return floordiv(Tensor(int64_t{100}), x); },
                                  {.num_parallel_calls = calls});
    EXPECT_ERROR(texts(mapped), InvalidArgumentError, "map (step 2): element 2: ");
    EXPECT_ERROR(texts(mapped.batch(5)), InvalidArgumentError, "map (step 2): element 2: ");
    Iterator i = mapped.iterator();
    std::vector<int64_t> seen;
    for (int k = 0; k < 5; ++k) try {
        Element element;
        if (i.next(element)) seen.push_back(element.tensor().item<int64_t>());
      } catch (const InvalidArgumentError&) {
        seen.push_back(-1);
      }
    EXPECT_EQ(seen, (std::vector<int64_t>{-50, -100, -1, 100, 50}));  // it goes on behind it
  }
}

TEST(Map, HostCodeDrawsForEachElementWhicheverWayItRuns) {
  const Dataset mapped = Dataset::range(8).map([](const Tensor& x) {
    return host_function([](const Tensor&) { return random::uniform({}); }, x, {float32, {}});
  });
  EXPECT_NE(mapped.batch(4).explain().find("one call an element (it calls host code)"),
            std::string::npos);
  const std::vector<std::string> single = with_seed(mapped);
  EXPECT_EQ(with_seed(mapped.batch(4).unbatch()), single);
  EXPECT_NE(single[0], single[4]);
}

TEST(Map, TakesFunctionsThatThrowNothing) {
  const auto same = [](const Tensor& x) noexcept { return x; };
  EXPECT_EQ(numbers(Dataset::range(2).map(same)), (std::vector<int64_t>{0, 1}));
}

TEST(Map, SaysWhatIsWrong) {
  const Dataset source = Dataset::range(3);
  EXPECT_ERROR(source.map([](const Tensor& a, const Tensor& b) { return a + b; }),
               InvalidArgumentError, "cannot take the 1 tensors of an element");
  EXPECT_ERROR(source.map([](const Tensor& x) { return x; }, {.num_parallel_calls = -2}),
               InvalidArgumentError, "num_parallel_calls must be positive");
  Variable v(Tensor(int64_t{1}), {.name = "total"});
  EXPECT_ERROR(source.map([&](const Tensor& x) {
    v.assign(x);
    return x;
  }),
               InvalidArgumentError, "assigns to the variable 'total'");
  EXPECT_ERROR(Dataset::from_tensor_slices(Element{Element{Tensor{1}, Tensor{2}}, Tensor{3}})
                   .map([](const Tensor& a, const Tensor& b) { return a + b; }),
               InvalidArgumentError, "but the elements nest. Got ((int32[], int32[]), int32[])");
}

TEST(Map, IsSavedAndRestored) {
  for (const int64_t calls : {int64_t{0}, int64_t{2}, AUTOTUNE}) {
    const Dataset mapped = images().take(9).map(augmented, {.num_parallel_calls = calls});
    expect_restores_everywhere(mapped);
    expect_restores_everywhere(mapped.batch(2));
  }
}

TEST(Map, InAnyOrderGivesAllElements) {
  const Dataset mapped = Dataset::range(200).map([](const Tensor& x) { return x * 3; },
                                                 {.num_parallel_calls = 4, .deterministic = false});
  std::vector<int64_t> all = numbers(mapped);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, numbers(Dataset::range(0, 600, 3)));
}
