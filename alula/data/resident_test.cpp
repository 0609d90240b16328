#include "alula/data/resident.h"

#include "alula/data/dataset_test.h"
#include "alula/ops/cast.h"
#include "alula/ops/gather.h"
#include "alula/ops/host_function.h"
#include "alula/ops/one_hot.h"
#include "alula/ops/operators.h"
#include "alula/ops/reshape.h"
#include "alula/runtime/devices.h"
#include "alula/runtime/variable.h"
#include "alula/testing/simulated_device.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;
using alula::testing::sim;

namespace {

Dataset images() {
  return Dataset::from_tensor_slices({random::uniform({50, 4, 3}, {.maxval = 256, .dtype = int32}),
                                      random::uniform({50}, {.maxval = 5, .dtype = int64})});
}

std::tuple<Tensor, Tensor> scaled(const Tensor& image, const Tensor& label) {
  return {cast(image, float32) / 255.F, one_hot(label, 5)};
}

/// Draws of several kinds and odd sizes, so that an element's share of the numbers matters.
std::tuple<Tensor, Tensor> augmented(const Tensor& image, const Tensor& label) {
  return {image + random::uniform({}) + random::normal({3}),
          label * random::uniform({}, {.seed = 3}) +
              cast(random::bernoulli({5}, {.dtype = int32}), float32)};
}

/// The batches of two walks, one after the other.
std::vector<std::string> walked(const Dataset& dataset) {
  random::set_seed(7);
  std::vector<std::string> all = texts(dataset);
  for (const std::string& text : texts(dataset)) all.push_back(text);
  return all;
}

/// The same, of a pipeline taken apart.
std::vector<std::string> picked(const Dataset& dataset) {
  const std::optional<Resident> parts = resident(dataset, sim());
  if (!parts.has_value()) return {dataset.explain()};
  random::set_seed(7);
  std::vector<std::string> all;
  for (int walk = 0; walk < 2; ++walk) {
    const Row variables = parts->maps.variables();
    Iterator iterator = parts->positions.iterator();
    for (Row picks; iterator.next(picks);) {
      Row batch;
      for (const Tensor& column : parts->columns) batch.push_back(gather(column, picks[0]));
      parts->maps.apply(batch, picks, variables);
      all.push_back(Element(dataset.element_spec().structure, batch).str());
    }
  }
  return all;
}

void expect_host(const Dataset& dataset, const std::string& why) {
  EXPECT_FALSE(resident(dataset, sim()).has_value());
  EXPECT_NE(dataset.explain().find("come from there: " + why), std::string::npos)
      << dataset.explain();
}

}  // namespace

TEST(Resident, GivesTheBatchesOfThePipeline) {
  const Dataset all = images();
  const std::pair<const char*, Dataset> cases[] = {
      {"no map", all.shuffle(20).batch(8)},
      {"map before batch", all.map(scaled).batch(8)},
      {"map before shuffle", all.map(scaled).shuffle(20).batch(8).prefetch(2)},
      {"map behind shuffle", all.shuffle(50, {.seed = 3}).map(scaled).batch(8)},
      {"in threads", all.map(scaled, {.num_parallel_calls = AUTOTUNE}).batch(8).prefetch(AUTOTUNE)},
      {"drawn", all.shuffle(20).map(scaled).map(augmented).batch(8, {.drop_remainder = true})},
      {"drawn and shortened", all.map(scaled).map(augmented).skip(3).take(30).prefetch(1).batch(8)},
      {"drawn for batches", all.map(scaled).shuffle(9).batch(8).map(augmented).repeat(2)},
      {"drawn and kept", all.map(scaled).map(augmented).cache().batch(8)},
      {"an order that is kept", all.shuffle(50).cache().map(scaled).repeat(2).batch(8)},
      {"every other", all.shard(2, 1).map(scaled).batch(8)},
  };
  for (const auto& [name, dataset] : cases) {
    SCOPED_TRACE(name);
    // A cache that is filled is that of the host: so this comes first.
    const std::vector<std::string> there = picked(Dataset(dataset.stage()));
    EXPECT_EQ(there, walked(Dataset(dataset.stage())));
  }
}

TEST(Resident, CountsWalksWithThoseOfTheDataset) {
  const Dataset dataset = images().shuffle(50, {.seed = 1}).batch(8);
  texts(dataset);
  const std::vector<std::string> second = texts(resident(dataset, sim())->positions);
  const Dataset again(dataset.stage());
  EXPECT_NE(texts(resident(again, sim())->positions), second);
  EXPECT_EQ(texts(resident(again, sim())->positions), second);
}

TEST(Resident, ReadsVariablesWhenAWalkBegins) {
  Variable factor(Tensor(2.F));
  const Dataset dataset = Dataset::from_tensor_slices(Tensor{1.F, 2.F})
                              .map([&](const Tensor& x) { return x * factor; })
                              .batch(2);
  EXPECT_EQ(picked(dataset)[0], "[2. 4.]");
  factor.assign(Tensor(3.F));
  EXPECT_EQ(picked(dataset)[0], "[3. 6.]");
}

TEST(Resident, SaysWhatStaysOnTheHost) {
  const Dataset all = images();
  const auto first = [](const Tensor&, const Tensor& label) { return label < 3; };
  expect_host(all.filter(first).batch(8), "it looks at elements");
  const auto by_host = [](const Tensor& image, const Tensor& label) {
    return std::tuple(host_function([](const Tensor& x) { return x; }, image, image.spec()), label);
  };
  expect_host(all.map(by_host).batch(8), "it calls host code");
  expect_host(all.map(scaled).map(augmented).shuffle(9).batch(8),
              "map (step 3) draws random numbers for elements in a row, which it breaks up");
  expect_host(all.map(scaled), "it gives no batches of elements");
  expect_host(Dataset::range(9).batch(2), "it is not in memory");
  expect_host(Dataset::from_tensor_slices(Tensor{"a", "b"}).batch(2), "it has strings");
  const Dataset kept = all.cache();
  texts(kept);
  expect_host(kept.batch(8), "elements are kept there already");
}
