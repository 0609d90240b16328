#include <chrono>
#include <thread>

#include "alula/data/dataset_test.h"
#include "alula/ops/host_function.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;
using std::chrono::milliseconds;

namespace {

using Clock = std::chrono::steady_clock;

/// A step that takes some time for each element, without using a core.
std::function<Tensor(const Tensor&)> slow(milliseconds time) {
  return [time](const Tensor& x) {
    const auto wait = [time](const std::vector<Tensor>& in) {
      std::this_thread::sleep_for(time);
      return in;
    };
    return host_function(wait, {x}, {x.spec()})[0];
  };
}

/// The part of the time that a reader, who takes `own` for each element, waits; at the start, while
/// things are being found out, it does not count.
double waiting(const Dataset& dataset, milliseconds own, int start, int count) {
  Iterator iterator = dataset.iterator();
  Clock::duration waited = {};
  Clock::time_point begin;
  Element element;
  for (int i = 0; i < start + count; ++i) {
    const Clock::time_point before = Clock::now();
    if (i == start) {
      begin = before;
      waited = {};
    }
    EXPECT_TRUE(iterator.next(element));
    waited += Clock::now() - before;
    std::this_thread::sleep_for(own);
  }
  return std::chrono::duration<double>(waited) / (Clock::now() - begin);
}

/// A reader without AUTOTUNE waits 80% of the time. Others may be using the machine, so that one
/// with it may have to wait a little.
constexpr double kHardly = 0.3;

/// The least of several tries.
double least_waiting(const Dataset& dataset, milliseconds own) {
  double least = 1;
  for (int i = 0; i < 8 && least > kHardly; ++i)
    least = std::min(least, waiting(dataset, own, 300, 100));
  return least;
}

}  // namespace

TEST(Autotune, TheReaderDoesNotWaitIfTheWorkFits) {
  // 8 ms of work for each 2 ms of the reader's: four threads can do it.
  const Dataset dataset =
      Dataset::range(10'000).map(slow(milliseconds(8)), {.num_parallel_calls = AUTOTUNE});
  EXPECT_LT(least_waiting(dataset, milliseconds(2)), kHardly) << dataset.explain();
  EXPECT_NE(dataset.explain().find("chosen by AUTOTUNE"), std::string::npos) << dataset.explain();
}

TEST(Autotune, AlsoOfTwoStepsInARow) {
  const Dataset dataset = Dataset::range(10'000)
                              .map(slow(milliseconds(4)), {.num_parallel_calls = AUTOTUNE})
                              .map(slow(milliseconds(4)), {.num_parallel_calls = AUTOTUNE})
                              .prefetch(AUTOTUNE);
  EXPECT_LT(least_waiting(dataset, milliseconds(2)), kHardly) << dataset.explain();
}

TEST(Autotune, WithoutItTheReaderWaits) {
  EXPECT_GT(waiting(Dataset::range(100).map(slow(milliseconds(8))), milliseconds(2), 5, 20), 0.5);
}
