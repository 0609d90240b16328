#include <atomic>
#include <filesystem>
#include <thread>

#include "alula/data/dataset_test.h"
#include "alula/io/file.h"
#include "alula/io/temporary_test.h"
#include "alula/ops/host_function.h"
#include "alula/ops/operators.h"
#include "alula/ops/random.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;
using alula::testing::put;
using alula::testing::TemporaryFolder;

namespace {

/// Numbers, counted as they are made.
Dataset counted(std::atomic<int>& made, int64_t count, const Shape& spec = {}) {
  const auto make = [&made, count, spec] {
    return [&made, count, spec, i = int64_t{0}](Element& e) mutable {
      if (i == count) return false;
      ++made;
      e = spec.rank() == 0 ? Tensor(i) : Tensor(std::vector<int64_t>(static_cast<size_t>(i), i));
      ++i;
      return true;
    };
  };
  return Dataset::from_generator(make, {{}, {{int64, spec}}});
}

Dataset random_numbers() {
  return Dataset::range(12).map(
      [](const Tensor& x) { return std::tuple(x, random::uniform({3})); });
}

}  // namespace

TEST(Cache, KeepsAWholeWalk) {
  std::atomic<int> made = 0;
  const Dataset cached = counted(made, 10).cache();
  EXPECT_NE(cached.explain().find("cache: in memory, after the first whole walk"),
            std::string::npos);
  EXPECT_EQ(numbers(cached.take(4)).size(), 4u);  // not a whole one
  EXPECT_EQ(made, 4);
  EXPECT_EQ(numbers(cached), numbers(Dataset::range(10)));
  EXPECT_EQ(made, 14);
  EXPECT_EQ(numbers(cached), numbers(Dataset::range(10)));
  EXPECT_EQ(numbers(cached.skip(7)), (std::vector<int64_t>{7, 8, 9}));
  EXPECT_EQ(made, 14);
  EXPECT_NE(cached.explain().find("cache: in memory: 10 elements, 0.0 MB"), std::string::npos);
}

TEST(Cache, KeepsRandomElements) {
  const Dataset cached = random_numbers().cache();
  EXPECT_EQ(texts(cached), texts(cached));
  EXPECT_EQ(texts(cached.repeat(2)).size(), 24u);
}

TEST(Cache, TakesElementsOfManyShapes) {
  std::atomic<int> made = 0;
  const Dataset cached = counted(made, 6, {kUnknown}).cache();
  const std::vector<std::string> first = texts(cached);
  EXPECT_EQ(texts(cached), first);
  EXPECT_EQ(made, 6);
  EXPECT_ERROR(texts(cached.batch(3)), InvalidArgumentError, "cannot be stacked");
}

TEST(Cache, IsTheSameInBlocks) {
  std::atomic<int> made = 0;
  expect_same_in_blocks(counted(made, 40).cache());
  expect_same_in_blocks(Dataset::range(40).cache());
  // Filled by blocks, too.
  const Dataset cached = Dataset::range(40).cache();
  EXPECT_EQ(flat_numbers(cached.batch(7)), numbers(Dataset::range(40)));
  EXPECT_NE(cached.explain().find("40 elements"), std::string::npos);
  EXPECT_EQ(numbers(cached), numbers(Dataset::range(40)));
}

TEST(Cache, SpansChunks) {
  // Of an unknown number of elements, so that they are kept in pieces.
  std::atomic<int> made = 0;
  const Dataset cached = counted(made, 40000).cache();
  EXPECT_EQ(flat_numbers(cached.batch(1000)), numbers(Dataset::range(40000)));
  EXPECT_EQ(flat_numbers(cached.batch(1000)), numbers(Dataset::range(40000)));
  EXPECT_EQ(numbers(cached.skip(16380).take(10)), numbers(Dataset::range(16380, 16390)));
  EXPECT_EQ(made, 40000);
}

TEST(Cache, SeveralWalksAtOnce) {
  std::atomic<int> made = 0;
  const Dataset cached = counted(made, 500).cache();
  const std::vector<int64_t> expected = numbers(Dataset::range(500));
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int k = 0; k < 3; ++k) EXPECT_EQ(numbers(cached), expected);
      });
  }
  EXPECT_LE(made, 4 * 500);
  const int before = made;
  EXPECT_EQ(numbers(cached), expected);
  EXPECT_EQ(made, before);
}

TEST(Cache, Restores) {
  const TemporaryFolder folder;
  expect_restores_everywhere(Dataset::range(10).cache());
  expect_restores_everywhere(Dataset::range(10).cache().batch(3).repeat(2));
  expect_restores_everywhere(Dataset::range(10).cache(folder / "a"));
  expect_restores_everywhere(random_numbers().cache().repeat(3));
}

/// In another process nothing is cached: the elements are made again.
TEST(Cache, RestoresWhereNothingIsCached) {
  const TemporaryFolder folder;
  const Dataset source = random_numbers();
  for (const char* file : {"", "there"}) {
    const std::string path = *file == '\0' ? "" : folder / file;
    Iterator first = source.cache(path).repeat(2).iterator();
    std::vector<std::string> elements, states;
    for (Element element; first.next(element);) {
      elements.push_back(element.str());
      states.push_back(first.save());
    }
    for (const size_t at : {3u, 11u, 12u, 15u, 23u}) {
      std::error_code ignored;
      if (!path.empty()) std::filesystem::remove(path, ignored);
      Iterator again = source.cache(path).repeat(2).iterator();
      again.restore(states[at]);
      std::vector<std::string> rest;
      for (Element element; again.next(element);) rest.push_back(element.str());
      EXPECT_EQ(rest, std::vector<std::string>(
                          elements.begin() + static_cast<std::ptrdiff_t>(at + 1), elements.end()))
          << at;
    }
  }
}

TEST(Cache, OfNoEndPassesOn) {
  const Dataset cached = Dataset::range(3).repeat().cache();
  EXPECT_EQ(numbers(cached.take(5)), (std::vector<int64_t>{0, 1, 2, 0, 1}));
  expect_restores_everywhere(cached.take(5));
}

TEST(Cache, IsWholeWhenTheNumberIsKnown) {
  const Dataset cached = Dataset::range(3).cache();
  EXPECT_EQ(texts(Dataset::zip({Dataset::range(3), cached})).size(), 3u);
  EXPECT_NE(cached.explain().find("in memory: 3 elements"), std::string::npos);
}

TEST(Cache, KeepsNothingOfAWalkThatFailed) {
  std::atomic<int> walks = 0;
  const auto make = [&walks] {
    return [first = walks++ == 0, i = int64_t{0}](Element& e) mutable {
      e = Tensor(i++);
      require(!first || i != 3, "not yet");
      return i <= 5;
    };
  };
  const Dataset cached = Dataset::from_generator(make, {{}, {{int64, {}}}}).cache();
  EXPECT_EQ(numbers(cached.ignore_errors()), (std::vector<int64_t>{0, 1, 3, 4}));
  EXPECT_EQ(numbers(cached), (std::vector<int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(numbers(cached), (std::vector<int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(walks, 2);
}

TEST(Cache, SaysThatItDoesNotFit) {
  const Dataset images = Dataset::range(int64_t{1} << 30).map([](const Tensor& x) {
    return x + Tensor(std::vector<int64_t>(1 << 12));
  });
  EXPECT_ERROR(texts(images.cache()), ResourceExhaustedError,
               "cache (step 3): 1073741824 elements int64[4096] take 35184.4 GB");
}

TEST(CacheFile, IsWrittenOnceAndReadByOthers) {
  const TemporaryFolder folder;
  const std::string file = folder / "numbers.cache";
  std::atomic<int> made = 0;
  {
    const Dataset cached = counted(made, 10).cache(file);
    EXPECT_EQ(numbers(cached.take(4)).size(), 4u);
    EXPECT_EQ(folder.count(), 0);  // not even a part of one
    EXPECT_EQ(numbers(cached), numbers(Dataset::range(10)));
    EXPECT_EQ(folder.count(), 1);
  }
  const Dataset again = counted(made, 10).cache(file);
  EXPECT_EQ(numbers(again), numbers(Dataset::range(10)));
  EXPECT_EQ(made, 14);
  expect_same_in_blocks(again);
  const Dataset mixed = Dataset::from_tensor_slices({Tensor{"a", "bc", ""}, Tensor{1.5f, 2.f, 3.f}})
                            .cache(folder / "m");
  const std::vector<std::string> first = texts(mixed);
  EXPECT_EQ(texts(mixed), first);
}

TEST(CacheFile, SaysThatItIsDamaged) {
  const TemporaryFolder folder;
  const std::string file = folder / "cache";
  const Dataset cached = Dataset::range(100).cache(file);
  EXPECT_EQ(numbers(cached).size(), 100u);
  const std::string bytes = io::read_file(file);
  for (const size_t at : {size_t{0}, size_t{30}, bytes.size() / 2, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    put(file, damaged);
    EXPECT_ERROR(texts(cached), DataLossError, "Delete it, and it is made anew.");
    put(file, bytes.substr(0, at));
    EXPECT_ERROR(texts(cached), DataLossError, "Delete it, and it is made anew.");
  }
  put(file, "something else");
  EXPECT_ERROR(texts(cached.repeat(3)), DataLossError, "is damaged, or is no cache");
  EXPECT_EQ(texts(cached.repeat(3).ignore_errors()).size(), 0u);  // and does not go on for ever
  put(file, bytes);
  EXPECT_EQ(numbers(cached).size(), 100u);
  EXPECT_ERROR(texts(Dataset::range(100).enumerate().cache(file)), FailedPreconditionError,
               "has elements int64[], not (int64[], int64[]). Delete it, or use another file.");
}

TEST(Cache, KeepsNothingOfAReaderWhoLeaves) {
  const auto slow = [](const Tensor& x) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    return x;
  };
  const Dataset source =
      Dataset::range(300).map([=](const Tensor& x) { return host_function(slow, x, {int64, {}}); },
                              {.num_parallel_calls = 2});
  const TemporaryFolder folder;
  for (const std::string& file : {std::string(), folder.path() + "/cache"})
    for (int i = 0; i < 5; ++i) {
      const Dataset cached = source.cache(file).prefetch(2);
      int64_t taken = 0;
      for (const Element& element : cached) {
        EXPECT_EQ(element.tensor().item<int64_t>(), taken);
        if (++taken == 5) break;
      }
      EXPECT_FALSE(!file.empty() && std::filesystem::exists(file));
      EXPECT_EQ(numbers(cached).size(), 300u);
      if (!file.empty()) std::filesystem::remove(file);
    }
}

TEST(Cache, GoesOnBehindAnError) {
  expect_goes_on_behind_an_error([](const Dataset& each) { return each.cache(); });
}
