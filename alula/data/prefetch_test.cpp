#include <atomic>
#include <chrono>
#include <thread>

#include "alula/data/dataset_test.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;
using std::chrono::milliseconds;

namespace {

using Clock = std::chrono::steady_clock;

/// Numbers without end, each of which takes some time; how many have been made is counted.
Dataset slow_numbers(std::atomic<int>& made, milliseconds time) {
  return Dataset::from_generator(
      [&made, time] {
        return [&made, time](Element& element) {
          std::this_thread::sleep_for(time);
          element = Tensor(int64_t{made++});
          return true;
        };
      },
      {{}, {{int64, {}}}});
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Waits for what other threads do.
bool comes_true(const std::function<bool()>& condition) {
  const Clock::time_point start = Clock::now();
  while (!condition() && seconds_since(start) < 20) std::this_thread::sleep_for(milliseconds(1));
  return condition();
}

}  // namespace

TEST(Prefetch, GivesTheSameElements) {
  for (const int64_t size : {int64_t{1}, int64_t{3}, AUTOTUNE}) {
    const Dataset ahead = Dataset::range(20).prefetch(size);
    EXPECT_EQ(numbers(ahead), numbers(Dataset::range(20)));
    EXPECT_EQ(ahead.cardinality(), 20);
    expect_same_in_blocks(ahead);
    expect_restores_everywhere(Dataset::range(8).shuffle(3).prefetch(size));
  }
  EXPECT_EQ(numbers(Dataset::range(3).prefetch(0)).size(), 3u);
  EXPECT_ERROR(Dataset::range(3).prefetch(-2), InvalidArgumentError,
               "must be positive, or AUTOTUNE. Got -2");
}

TEST(Prefetch, StaysAsFarAheadAsItWasTold) {
  std::atomic<int> made = 0;
  const Dataset dataset = slow_numbers(made, milliseconds(0)).prefetch(3);
  Iterator i = dataset.iterator();
  Element element;
  ASSERT_TRUE(i.next(element));
  EXPECT_TRUE(comes_true([&] { return made >= 4; }));
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(made, 4);  // one taken, three ahead
}

TEST(Prefetch, WorksWhileTheReaderDoes) {
  std::atomic<int> made = 0;
  const Dataset dataset = slow_numbers(made, milliseconds(1)).prefetch(2);
  Iterator i = dataset.iterator();
  Element element;
  for (int taken = 1; taken < 10; ++taken) {
    ASSERT_TRUE(i.next(element));
    EXPECT_TRUE(comes_true([&] { return made >= taken + 2; })) << taken;
  }
}

TEST(Prefetch, LeavingALoopEarlyStopsAllThreads) {
  std::atomic<int> made = 0;
  const Dataset dataset = slow_numbers(made, milliseconds(1))
                              .prefetch(2)
                              .map([](const Tensor& x) { return x; }, {.num_parallel_calls = 3})
                              .prefetch(1000)
                              .batch(2)
                              .prefetch(1000);
  const Clock::time_point start = Clock::now();
  int seen = 0;
  for (const Element& element : dataset)
    if (element.tensors().size() == 1 && ++seen == 5) break;
  EXPECT_LT(seconds_since(start), 5);  // nobody waits for a thousand more
  const int then = made;
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(made, then);  // nobody goes on
}

TEST(Prefetch, AnErrorArrivesInItsPlaceAndTheRestFollows) {
  const Dataset dataset = Dataset::from_generator(
                              [] {
                                return [at = int64_t{0}](Element& element) mutable {
                                  element = Tensor(at);
                                  if (at++ == 2) throw std::runtime_error("two");
                                  return at < 6;
                                };
                              },
                              {{}, {{int64, {}}}})
                              .prefetch(4);
  Iterator i = dataset.iterator();
  std::string seen;
  for (bool more = true; more;) try {
      Element element;
      more = i.next(element);
      if (more) seen += std::to_string(element.tensor().item<int64_t>());
    } catch (const UnknownError&) {
      seen += "!";
    }
  EXPECT_EQ(seen, "01!34");
}

TEST(Prefetch, ErrorsNextToOneAnotherAreNoTrouble) {
  const Dataset dataset = Dataset::from_generator(
                              [] {
                                return [at = int64_t{0}](Element& element) mutable {
                                  element = Tensor(at);
                                  if (at++ % 2 == 0) throw std::runtime_error("even");
                                  return at < 400;
                                };
                              },
                              {{}, {{int64, {}}}})
                              .prefetch(3);
  const std::string text = with_errors(dataset);
  EXPECT_TRUE(text.starts_with("! 1 ! 3 ! 5 ")) << text;
}

TEST(Prefetch, AutotuneStaysInTheThreadIfHandingOverCostsMore) {
  const Dataset cheap = Dataset::range(2000).prefetch(AUTOTUNE);
  EXPECT_EQ(numbers(cheap).size(), 2000u);
  EXPECT_NE(cheap.explain().find("prefetch(AUTOTUNE): in the reader's thread"), std::string::npos)
      << cheap.explain();
}

TEST(Prefetch, AutotuneUsesAThreadWhereTheReaderWouldWait) {
  std::atomic<int> made = 0;
  const Dataset slow = slow_numbers(made, milliseconds(1)).prefetch(AUTOTUNE);
  Iterator i = slow.iterator();
  Element element;
  for (int taken = 1; taken < 20; ++taken) ASSERT_TRUE(i.next(element));
  EXPECT_TRUE(comes_true([&] { return made >= 20; }));  // one more than was asked for
  EXPECT_NE(slow.explain().find("1 thread, at most"), std::string::npos) << slow.explain();
}

TEST(Prefetch, BuffersStayWithinTheBudget) {
  // A reader in bursts: a buffer that was full runs empty, and so is doubled while it may.
  const Dataset large = Dataset::from_generator(
      [] {
        return [](Element& element) {
          std::this_thread::sleep_for(std::chrono::microseconds(200));
          element = Tensor::uninitialized({uint8, {100'000}});
          return true;
        };
      },
      {{}, {{uint8, {100'000}}}});
  const auto most_ahead = [&](int64_t memory) {
    const Dataset dataset = large.prefetch(AUTOTUNE).with_options({.autotune_memory = memory});
    Iterator i = dataset.iterator();
    Element element;
    for (int burst = 0; burst < 12; ++burst) {
      std::this_thread::sleep_for(milliseconds(15));
      for (int k = 0; k < 40; ++k) i.next(element);
    }
    const std::string text = dataset.explain();
    const size_t place = text.find("at most ");
    EXPECT_NE(place, std::string::npos) << text;
    return place == std::string::npos ? -1 : std::stoi(text.substr(place + 8));
  };
  EXPECT_GT(most_ahead(100'000'000), 8);
  EXPECT_LE(most_ahead(400'000), 4);
  EXPECT_ERROR(large.with_options({.autotune_memory = -1}), InvalidArgumentError,
               "memory cannot be negative");
}
