#include <numeric>
#include <thread>

#include "alula/data/dataset_test.h"
#include "alula/ops/cast.h"
#include "alula/ops/fill.h"
#include "alula/ops/operators.h"
#include "alula/runtime/devices.h"
#include "alula/testing/simulated_device.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;
using alula::testing::sim;

TEST(ToDevice, ElementsAreThere) {
  const Dataset batches = Dataset::range(10).batch(4);
  for (const Dataset& there : {batches.prefetch_to_device(sim()), batches.copy_to_device(sim())}) {
    EXPECT_EQ(there.cardinality(), 3);
    for (const Element& batch : there) EXPECT_EQ(batch.tensor().device(), sim());
    EXPECT_EQ(texts(there), texts(batches));
  }
  EXPECT_NE(batches.prefetch_to_device(sim(), 3).explain().find("prefetch_to_device(/SIM:0, 3)"),
            std::string::npos);
}

TEST(ToDevice, InTheScopeOfADeviceWhatIsPrefetchedIsThere) {
  const Dataset batches = Dataset::range(10).batch(4), ahead = batches.prefetch(2);
  const Dataset tuned = Dataset::range(2000).prefetch(AUTOTUNE);
  const std::vector<std::string> expected = texts(batches);
  {
    const DeviceScope scope(sim());
    for (const Element& batch : ahead) EXPECT_EQ(batch.tensor().device(), sim());
    for (const Element& batch : batches) EXPECT_EQ(batch.tensor().device(), kCPU);
    for (const Element& pair : ahead.batch(2)) EXPECT_EQ(pair.tensor().device(), kCPU);
    EXPECT_EQ(texts(ahead), expected);
    EXPECT_EQ(texts(tuned).size(), 2000U);
    EXPECT_NE(tuned.explain().find("prefetch(AUTOTUNE): "), std::string::npos);
    Iterator there = ahead.iterator();
    Element element;
    there.next(element);
    Iterator second = batches.prefetch(2).iterator();
    second.restore(there.save());
    second.next(element);
    EXPECT_EQ(element.tensor().device(), sim());
    EXPECT_EQ(element.tensor().to_vector<int64_t>(), (std::vector<int64_t>{4, 5, 6, 7}));
  }
  for (const Element& batch : ahead) EXPECT_EQ(batch.tensor().device(), kCPU);
}

TEST(ToDevice, WhatIsInMemoryIsKeptThere) {
  const auto make = [](bool shuffled) {
    std::vector<float> x(7 * 3);
    std::iota(x.begin(), x.end(), 0.f);
    Dataset rows = Dataset::from_tensor_slices({Tensor(x, {7, 3}), Tensor{0, 1, 2, 3, 4, 5, 6}});
    if (shuffled) rows = rows.shuffle(7, {.seed = 3});
    return rows.batch(2).prefetch(2);
  };
  for (const bool shuffled : {false, true}) {
    const Dataset here = make(shuffled), there = make(shuffled);
    for (int epoch = 0; epoch < 3; ++epoch) {
      const std::vector<std::string> expected = texts(here);
      const DeviceScope scope(sim());
      std::vector<std::string> read;
      for (const Element& batch : there) {
        for (const Tensor& tensor : batch.tensors()) EXPECT_EQ(tensor.device(), sim());
        read.push_back(batch.str());
      }
      EXPECT_EQ(read, expected);
    }
    EXPECT_NE(there.explain().find("from_tensor_slices: 7 elements; on /SIM:0"), std::string::npos)
        << there.explain();
    Element batch;
    const DeviceScope scope(sim());
    Iterator third = there.iterator(), fourth = there.iterator();
    third.next(batch);
    fourth.restore(third.save());
    third.next(batch);
    const std::string expected = batch.str();
    fourth.next(batch);
    EXPECT_EQ(batch.str(), expected);
  }
}

TEST(ToDevice, WhatIsMappedOnTheHostIsBroughtThere) {
  const Dataset there = Dataset::from_tensor_slices(Tensor{1, 2, 3})
                            .map([](const Tensor& x) { return x * 2; })
                            .batch(2)
                            .prefetch(1);
  const DeviceScope scope(sim());
  EXPECT_EQ(texts(there), (std::vector<std::string>{"[2 4]", "[6]"}));
}

TEST(ToDevice, StringsStayOnTheHost) {
  const Dataset words = Dataset::from_tensor_slices({Tensor{"a", "b"}, Tensor{1, 2}});
  for (const Element& element : words.prefetch_to_device(sim())) {
    EXPECT_EQ(element.tensors()[0].device(), kCPU);
    EXPECT_EQ(element.tensors()[1].device(), sim());
  }
}

TEST(ToDevice, ErrorsReachTheReader) {
  EXPECT_EQ(with_errors(failing_numbers(4, 2).prefetch_to_device(sim())), "0 1 ! 3 ");
  EXPECT_ERROR(Dataset::range(3).prefetch_to_device(sim(), 0), InvalidArgumentError,
               "prefetch_to_device: the size of the buffer must be positive");
}

TEST(ToDevice, IsBoundedAndLeavesNothingBehind) {
  const int64_t before = backend_of(sim()).memory().in_use;
  {
    const Dataset large = Dataset::range(100).map(
        [](const Tensor& x) { return zeros({1 << 16}) + cast(x, float32); });
    Iterator iterator = large.prefetch_to_device(sim(), 2).iterator();
    Element element;
    iterator.next(element);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_LE(backend_of(sim()).memory().in_use - before, int64_t{4} << 18);
  }
  EXPECT_EQ(backend_of(sim()).memory().in_use, before);
}

TEST(ToDevice, GoesOnFromWhereItWasSaved) {
  const Dataset there = Dataset::range(10).prefetch_to_device(sim(), 2);
  Iterator first = there.iterator();
  Element element;
  for (int i = 0; i < 4; ++i) first.next(element);
  Iterator second = there.iterator();
  second.restore(first.save());
  for (int64_t i = 4; i < 10; ++i) {
    ASSERT_TRUE(second.next(element));
    EXPECT_EQ(element.tensor().device(), sim());
    EXPECT_EQ(element.tensor().item<int64_t>(), i);
  }
  EXPECT_FALSE(second.next(element));
}
