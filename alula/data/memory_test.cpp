#include <fstream>
#include <string>

#include "alula/data/dataset_test.h"
#include "alula/ops/operators.h"
#include "alula/ops/random.h"

using namespace alula;
using namespace alula::data;
using namespace alula::data::testing;

namespace {

constexpr int64_t kMegabyte = int64_t{1} << 20;
/// What a pipeline may take beside the elements in its buffers.
constexpr int64_t kAllowed = 64 * kMegabyte;

/// The most memory that the process has had since `forget_peak`, or -1 where the system doesn't
/// say.
int64_t peak() {
  std::ifstream file("/proc/self/status");
  for (std::string name; file >> name;)
    if (name == "VmHWM:") {
      int64_t kilobytes = 0;
      file >> kilobytes;
      return kilobytes * 1024;
    }
  return -1;
}
bool forget_peak() { return static_cast<bool>(std::ofstream("/proc/self/clear_refs") << "5\n"); }

int64_t growth(const Dataset& dataset) {
  const int64_t before = peak();
  int64_t elements = 0;
  for (const Element& element : dataset) elements += element.tensors()[0].shape()[0];
  EXPECT_GT(elements, 0);
  return peak() - before;
}

}  // namespace

TEST(Memory, IsThatOfTheBuffersAndLittleMore) {
  if (!memory::caching()) GTEST_SKIP() << "a sanitizer keeps memory of its own";
  if (!forget_peak() || peak() < 0) GTEST_SKIP() << "the system doesn't say how much there was";
  constexpr int64_t kImages = 2000, kImage = int64_t{64} * 64 * 3 * 4;  // 94 MB in all
  const Dataset images = Dataset::from_tensor_slices(random::uniform({kImages, 64, 64, 3}));
  const auto brighter = [](const Tensor& x) { return x + random::uniform({}); };
  forget_peak();
  const Dataset mapped = images.map(brighter, {.num_parallel_calls = 2});
  EXPECT_LT(growth(mapped.batch(32).prefetch(4)), (4 + 4) * 32 * kImage + kAllowed);
  forget_peak();
  EXPECT_LT(growth(images.shuffle(kImages).batch(32).prefetch(4)), 4 * 32 * kImage + kAllowed);
  forget_peak();
  EXPECT_LT(growth(images.map(brighter).shuffle(500).batch(32)), 500 * kImage + kAllowed);
  forget_peak();  // an element of a batch does not keep the whole batch
  EXPECT_LT(growth(images.map(brighter).batch(64).unbatch().shuffle(500).batch(32)),
            500 * kImage + kAllowed);
}
