#include "alula/data/host.h"

#include <atomic>
#include <thread>

#include "alula/data/dataset_test.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

namespace {

/// An exception of another language.
struct Foreign : std::runtime_error {
  Foreign(const char* text, bool stops) : std::runtime_error(text), stops(stops) {}
  bool stops;
};

class ForeignErrors final : public HostErrors {
 public:
  ForeignErrors() { set_host_errors(this); }
  ~ForeignErrors() override { set_host_errors(nullptr); }
  bool is_one(const std::exception& error) const override {
    return dynamic_cast<const Foreign*>(&error) != nullptr;
  }
  bool asks_to_stop(const std::exception& error) const override {
    return dynamic_cast<const Foreign&>(error).stops;
  }
  void add_note(const std::exception&, const std::string& where) const override { note = where; }

  mutable std::string note;
};

/// The numbers below 6, but for number 2; `calls` counts.
Dataset failing(bool stops, int& calls) {
  const auto make = [stops, &calls] {
    return [stops, &calls, i = int64_t{0}](Element& element) mutable {
      ++calls;
      element = Tensor(i);
      if (i++ == 2) throw Foreign("two", stops);
      return i <= 6;
    };
  };
  return Dataset::from_generator(make, {{}, {{int64, {}}}});
}

}  // namespace

TEST(Host, ExceptionsPassAsTheyAre) {
  const ForeignErrors errors;
  int calls = 0;
  const Dataset dataset = failing(false, calls);
  EXPECT_THROW(numbers(dataset), Foreign);
  EXPECT_EQ(errors.note, "from_generator (step 1): element 2");
  EXPECT_THROW(texts(dataset.batch(4).prefetch(2)), Foreign);
  EXPECT_EQ(numbers(dataset.ignore_errors()), (std::vector<int64_t>{0, 1, 3, 4, 5}));
}

TEST(Host, ExceptionsThatAskToStopAreNoFaultsOfElements) {
  const ForeignErrors errors;
  int calls = 0;
  const Dataset dataset = failing(true, calls);
  EXPECT_THROW(numbers(dataset.ignore_errors()), Foreign);
  calls = 0;
  EXPECT_THROW(texts(dataset.batch(6)), Foreign);
  EXPECT_EQ(calls, 3);  // the batch is not read to its end
}

TEST(Host, OthersAreWrapped) {
  int calls = 0;
  EXPECT_ERROR(numbers(failing(false, calls)), UnknownError, "element 2: two");
}

TEST(Host, AWaitCanBeBroken) {
  std::atomic<bool> go_on = false;
  const auto make = [&] {
    return [&](Element& element) {
      while (!go_on) std::this_thread::yield();
      element = Tensor(int64_t{0});
      return true;
    };
  };
  const Dataset dataset = Dataset::from_generator(make, {{}, {{int64, {}}}});
  for (const Dataset& each :
       {dataset.prefetch(1), Dataset::range(1).interleave([&](const Tensor&) { return dataset; },
                                                          {.num_parallel_calls = 1})}) {
    Iterator iterator = each.iterator();
    Element element;
    go_on = false;
    {
      const WhileWaiting broken([] { throw Foreign("enough", true); });
      EXPECT_THROW(iterator.next(element), Foreign);
    }
    go_on = true;
    EXPECT_TRUE(iterator.next(element));  // it goes on where it was
  }
}
