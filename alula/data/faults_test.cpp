#include <atomic>
#include <chrono>
#include <thread>

#include "alula/data/dataset_test.h"
#include "alula/ops/concat.h"
#include "alula/ops/operators.h"

// What happens when elements fail, and when a reader leaves.
using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// Numbers, of which the fourth fails.
Dataset fourth_fails() {
  const auto make = [] {
    return [i = int64_t{0}](Element& e) mutable {
      const int64_t mine = i++;
      if (mine == 3) throw std::runtime_error("a bad day");
      e = Tensor(mine);
      return mine < 8;
    };
  };
  return Dataset::from_generator(make, {{}, {{int64, {}}}});
}

/// Numbers without end, one each millisecond.
Dataset without_end() {
  const auto make = [] {
    return [i = int64_t{0}](Element& e) mutable {
      std::this_thread::sleep_for(milliseconds(1));
      e = Tensor(i++);
      return true;
    };
  };
  return Dataset::from_generator(make, {{}, {{int64, {}}}});
}

Tensor doubled(const Tensor& x) { return x * 2; }

}  // namespace

TEST(Faults, AnErrorOfAThreadReachesTheReader) {
  const char* text = "from_generator (step 1): element 3: a bad day";
  for (const int64_t calls : {int64_t{0}, int64_t{3}, AUTOTUNE}) {
    const Dataset mapped = fourth_fails().map(doubled, {.num_parallel_calls = calls});
    for (const Dataset& dataset :
         {mapped, mapped.prefetch(3), mapped.prefetch(1).prefetch(AUTOTUNE), mapped.batch(8),
          mapped.shuffle(3), mapped.cache(), mapped.enumerate(), mapped.repeat(2)})
      EXPECT_ERROR(texts(dataset), UnknownError, text);
    const std::vector<int64_t> rest = {0, 2, 4, 8, 10, 12, 14};
    EXPECT_EQ(numbers(mapped.ignore_errors()), rest);
    EXPECT_EQ(numbers(mapped.prefetch(2).ignore_errors()), rest);
    EXPECT_EQ(flat_numbers(mapped.ignore_errors().batch(4)), rest);
  }
}

TEST(Faults, ReadingGoesOnBehindAnError) {
  Iterator numbers = fourth_fails().prefetch(4).iterator();
  Element element;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(numbers.next(element));
  EXPECT_ERROR(numbers.next(element), UnknownError, "a bad day");
  ASSERT_TRUE(numbers.next(element));
  EXPECT_EQ(element.tensor().item<int64_t>(), 4);
}

TEST(Faults, ABlockGoesAsFarAsSoManyElements) {
  const auto two = [](const Tensor& x) { return Dataset::from_tensor_slices(stack({x, -x})); };
  const auto last = [](const Tensor&, const Tensor& x) { return x; };
  const auto first = [](const Tensor& number, const Tensor&) { return number; };
  const std::vector<std::function<Dataset(const Dataset&)>> steps = {
      [](const Dataset& each) { return each; },
      [](const Dataset& each) { return each.map(doubled); },
      [](const Dataset& each) { return each.map(doubled, {.num_parallel_calls = 3}); },
      [](const Dataset& each) { return each.take(17); },
      [](const Dataset& each) { return each.skip(7); },
      [](const Dataset& each) { return each.cache(); },
      [](const Dataset& each) { return each.prefetch(2); },
      [](const Dataset& each) { return each.shuffle(4, {.seed = 1}); },
      [](const Dataset& each) { return each.repeat(2); },
      [](const Dataset& each) { return each.map(doubled).repeat(2); },
      [](const Dataset& each) { return each.take(8).concatenate(each).concatenate(each); },
      [](const Dataset& each) { return each.batch(5).unbatch(); },
      [&](const Dataset& each) { return Dataset::range(1).concatenate(each).flat_map(two); },
  };
  for (size_t i = 0; i < steps.size(); ++i) {
    SCOPED_TRACE(fmt::format("step {}", i));
    expect_blocks_go_as_far(steps[i]);
    // Whoever counts counts those that failed, and so does whoever reads two side by side.
    expect_blocks_go_as_far(
        [&](const Dataset& each) { return steps[i](each).enumerate().map(first); });
    expect_blocks_go_as_far([&](const Dataset& each) {
      return Dataset::zip({Dataset::range(100), steps[i](each)}).map(last);
    });
    expect_blocks_go_as_far([&](const Dataset& each) {
      return Dataset::zip({steps[i](each), Dataset::range(100)}).map(last);
    });
  }
}

TEST(Faults, LeavingEarlyEndsThreadsPromptly) {
  const Dataset slow = without_end();
  const auto inner = [](const Tensor&) { return without_end().prefetch(2); };
  for (const Dataset& dataset :
       {slow.prefetch(5), slow.map(doubled, {.num_parallel_calls = 3}).prefetch(2),
        slow.interleave(inner, {.cycle_length = 3, .num_parallel_calls = 3}).prefetch(2),
        slow.prefetch(2).batch(2).prefetch(2).unbatch().prefetch(2)}) {
    const Clock::time_point begin = Clock::now();
    int64_t sum = 0;
    for (const Element& element : dataset) {
      sum += element.tensor().item<int64_t>();
      if (sum >= 0) break;
    }
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(1));
  }
}

TEST(Faults, LeavingStopsAllThreadsAtOnce) {
  std::atomic<bool> leaving = false;
  std::atomic<int> late = 0;
  const auto source = [&](milliseconds each) {
    const auto make = [&, each] {
      return [&, each](Element& e) {
        if (leaving) ++late;
        std::this_thread::sleep_for(each);
        e = Tensor(1);
        return true;
      };
    };
    return Dataset::from_generator(make, {{}, {{int32, {}}}}).prefetch(100000);
  };
  {
    // The first is waited for when it goes; the others must not work on meanwhile.
    Iterator iterator =
        Dataset::zip({source(milliseconds(200)), source(milliseconds(1)), source(milliseconds(1))})
            .iterator();
    Element element;
    ASSERT_TRUE(iterator.next(element));
    leaving = true;
  }
  EXPECT_LT(late, 20);
}

TEST(Faults, AnIteratorThatIsNeverReadStartsNothing) {
  for (int i = 0; i < 50; ++i) without_end().prefetch(4).iterator();
}
