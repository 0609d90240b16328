#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "alula/data/dataset_test.h"
#include "alula/ops/concat.h"
#include "alula/ops/operators.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using Numbers = std::vector<int64_t>;

Dataset itself_often(const Tensor& x) {
  return Dataset::from_tensors(x).repeat(x.item<int64_t>() + 1);
}
Dataset of_many_lengths(const Tensor& x) {
  const int64_t i = x.item<int64_t>();
  return Dataset::range(i * 10, i * 10 + (((7 - i) % 5) + 5) % 5);
}

/// Numbers that take a while each.
Dataset slow(int64_t count, milliseconds each) {
  const auto make = [=] {
    return [=, i = int64_t{0}](Element& e) mutable {
      std::this_thread::sleep_for(each);
      e = Tensor(i);
      return i++ < count;
    };
  };
  return Dataset::from_generator(make, {{}, {{int64, {}}}});
}

}  // namespace

// The orders are TensorFlow's, with threads and without.
TEST(Interleave, TakesTurnsAsTensorFlowDoes) {
  for (const int64_t calls : {int64_t{0}, int64_t{1}, int64_t{2}, AUTOTUNE}) {
    const auto often = [&](int64_t n, int64_t cycle, int64_t block) {
      return numbers(Dataset::range(n).interleave(
          itself_often,
          {.cycle_length = cycle, .block_length = block, .num_parallel_calls = calls}));
    };
    const auto many = [&](int64_t n, int64_t cycle, int64_t block) {
      return numbers(Dataset::range(n).interleave(
          of_many_lengths,
          {.cycle_length = cycle, .block_length = block, .num_parallel_calls = calls}));
    };
    EXPECT_EQ(often(4, 2, 1), (Numbers{0, 1, 1, 2, 2, 3, 2, 3, 3, 3}));
    EXPECT_EQ(often(5, 2, 2), (Numbers{0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4, 4}));
    EXPECT_EQ(often(6, 3, 2),
              (Numbers{0, 1, 1, 2, 2, 3, 3, 2, 3, 3, 4, 4, 5, 5, 4, 4, 5, 5, 4, 5, 5}));
    EXPECT_EQ(often(5, 1, 1), (Numbers{0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4}));
    EXPECT_EQ(often(5, 10, 1), (Numbers{0, 1, 2, 3, 4, 1, 2, 3, 4, 2, 3, 4, 3, 4, 4}));
    EXPECT_EQ(many(8, 3, 2), (Numbers{0, 1, 10, 30, 31, 40, 41, 50, 51, 32, 33, 42, 60}));
    EXPECT_EQ(many(8, 2, 3), (Numbers{0, 1, 10, 30, 31, 32, 40, 41, 42, 33, 50, 51, 60}));
    EXPECT_EQ(many(9, 4, 1),
              (Numbers{0, 10, 30, 1, 40, 31, 50, 41, 32, 60, 51, 42, 33, 80, 81, 82, 83}));
  }
}

TEST(Interleave, IsTheSameInBlocksAndRestores) {
  for (const int64_t calls : {int64_t{0}, int64_t{2}, AUTOTUNE}) {
    const Dataset mixed = Dataset::range(8).interleave(
        of_many_lengths, {.cycle_length = 3, .block_length = 2, .num_parallel_calls = calls});
    expect_same_in_blocks(mixed);
    expect_restores_everywhere(mixed);
    expect_restores_everywhere(mixed.batch(4));
  }
  const auto shuffled = [](const Tensor&) { return Dataset::range(9).shuffle(9); };
  expect_restores_everywhere(Dataset::range(5).interleave(shuffled, {.cycle_length = 2}));
  expect_restores_everywhere(
      Dataset::range(5).interleave(shuffled, {.cycle_length = 2, .num_parallel_calls = 2}));
}

TEST(Interleave, ReadsAheadInThreads) {
  const auto make = [](const Tensor&) { return slow(4, milliseconds(5)); };
  const auto time = [&](int64_t calls) {
    const Dataset mixed =
        Dataset::range(8).interleave(make, {.cycle_length = 8, .num_parallel_calls = calls});
    const Clock::time_point begin = Clock::now();
    EXPECT_EQ(numbers(mixed).size(), 32u);
    return Clock::now() - begin;
  };
  const auto alone = time(0), together = time(8);
  EXPECT_LT(2 * together, alone);
}

TEST(Interleave, AnErrorOfAThreadNamesTheElement) {
  const auto make = [](const Tensor& x) {
    return Dataset::from_tensors(x)
        .map([](const Tensor& y) { return y; })
        .concatenate(Dataset::from_generator(
            [n = x.item<int64_t>()] {
              return [n, given = false](Element& e) mutable {
                if (n == 3) fail("broken");
                e = Tensor(n);
                return !std::exchange(given, true);
              };
            },
            {{}, {{int64, {}}}}));
  };
  for (const int64_t calls : {int64_t{0}, int64_t{4}}) {
    const Dataset mixed =
        Dataset::range(6).interleave(make, {.cycle_length = 2, .num_parallel_calls = calls});
    EXPECT_ERROR(texts(mixed), InvalidArgumentError,
                 "interleave (step 2): in the data set of element 3: from_generator (step 1): "
                 "element 0: broken");
    EXPECT_ERROR(texts(mixed.prefetch(2)), InvalidArgumentError, "element 3");
    EXPECT_EQ(numbers(mixed.ignore_errors().take(5)).size(), 5u);
  }
}

TEST(Interleave, LeavingEarlyEndsAllThreads) {
  const auto make = [](const Tensor&) { return slow(1000000, milliseconds(2)).prefetch(3); };
  const Dataset mixed = Dataset::range(100)
                            .interleave(make, {.cycle_length = 8, .num_parallel_calls = 3})
                            .prefetch(2);
  const Clock::time_point begin = Clock::now();
  int count = 0;
  for (const Element& element : mixed)
    if (element.tensor().defined() && ++count == 3) break;
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(2));
}

TEST(Interleave, HasNoMoreThreadsThanAskedFor) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  const auto make = [&](const Tensor&) {
    return Dataset::from_generator(
        [&] {
          return [&, i = int64_t{0}](Element& e) mutable {
            {
              const std::lock_guard lock(mutex);
              threads.insert(std::this_thread::get_id());
            }
            std::this_thread::sleep_for(milliseconds(1));
            e = Tensor(i);
            return i++ < 3;
          };
        },
        {{}, {{int64, {}}}});
  };
  for (const int64_t calls : {1, 3}) {
    const Dataset mixed =
        Dataset::range(40).interleave(make, {.cycle_length = 40, .num_parallel_calls = calls});
    threads.clear();
    EXPECT_EQ(numbers(mixed).size(), 120u);
    EXPECT_LE(std::ssize(threads), calls);
  }
}

TEST(Interleave, TakesWhatIsThereIfItMay) {
  // The first data set takes long for its first element.
  const auto make = [](const Tensor& x) {
    const int64_t which = x.item<int64_t>();
    return Dataset::from_generator(
        [which] {
          return [which, i = int64_t{0}](Element& e) mutable {
            if (which == 0 && i == 0) std::this_thread::sleep_for(milliseconds(200));
            e = Tensor(which * 10 + i);
            return i++ < 3;
          };
        },
        {{}, {{int64, {}}}});
  };
  const auto read = [&](bool deterministic) {
    return numbers(Dataset::range(5).interleave(
        make, {.cycle_length = 3, .num_parallel_calls = 3, .deterministic = deterministic}));
  };
  EXPECT_EQ(read(true).front(), 0);
  Numbers mixed = read(false);
  EXPECT_NE(mixed.front(), 0);
  std::sort(mixed.begin(), mixed.end());
  EXPECT_EQ(mixed, (Numbers{0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32, 40, 41, 42}));
}

TEST(Interleave, GoesOnBehindAnError) {
  const auto two = [](const Tensor& x) { return Dataset::from_tensor_slices(stack({x, -x})); };
  for (const int64_t calls : {int64_t{0}, int64_t{2}, AUTOTUNE}) {
    const auto step = [&](const Dataset& each) {
      return Dataset::range(1).concatenate(each).interleave(
          two, {.cycle_length = 1, .num_parallel_calls = calls});
    };
    expect_goes_on_behind_an_error(step, {.lost = 2});
    // An element of one of them that fails has had its turn.
    const auto inner = [](const Tensor& x) {
      return failing_numbers(4, x.item<int64_t>() == 0 ? 1 : -1);
    };
    const Dataset mixed =
        Dataset::range(2).interleave(inner, {.cycle_length = 2, .num_parallel_calls = calls});
    EXPECT_EQ(survivors(mixed).elements,
              (std::vector<std::string>{"0", "0", "1", "2", "2", "3", "3"}));
  }
}

TEST(Interleave, ChecksItsNumbers) {
  const Dataset ten = Dataset::range(10);
  EXPECT_ERROR(ten.interleave(itself_often, {.cycle_length = 0}), InvalidArgumentError,
               "cycle_length must be positive, and at most 4096. Got 0.");
  EXPECT_ERROR(ten.interleave(itself_often, {.block_length = 0}), InvalidArgumentError,
               "block_length must be positive. Got 0.");
  EXPECT_ERROR(ten.interleave(itself_often, {.num_parallel_calls = -2}), InvalidArgumentError,
               "num_parallel_calls must be positive, AUTOTUNE, or 0");
}
