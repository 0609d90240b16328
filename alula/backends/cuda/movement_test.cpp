// What ops_test cannot see of the kernels that move elements: positions beyond 32 bits, and what
// TensorFlow's GPUs do where its CPUs report an error.
#include "alula/ops/gather_elementwise.h"
#include "alula/ops/pad.h"
#include "alula/ops/reverse.h"
#include "alula/ops/scatter_nd.h"
#include "alula/ops/slice.h"
#include "alula/ops/strided_slice.h"
#include "alula/scalar/compose.h"
#include "alula/testing/gpu.h"

using namespace alula;
using namespace alula::testing;
using GpuMovement = GpuTest;

namespace {

/// What gather picks, plus one.
Tensor gather_and_add(const Tensor& x, const Tensor& at) {
  scalar::Builder b;
  const Scalar result = b.input(x.dtype()) + 1;
  const GatherElementwise op(Gather(), scalar::interned(b.finish("gather+add_one", {&result, 1})));
  return call_all(op, std::vector{x, at})[0];
}

}  // namespace

/// The last rows of a matrix of more than 2^31 elements, read in several ways.
TEST_F(GpuMovement, PositionsHave64BitsWhereTheyNeedThem) {
  constexpr int64_t kColumns = 4096, kRows = (int64_t{1} << 31) / kColumns;
  if (gpu().memory().total < int64_t{8} << 30) GTEST_SKIP() << "takes 4 GiB";
  const Tensor pattern = random_tensor({uint8, {40, kColumns}}, {0, 255});
  const auto bytes = [](const Tensor& y) { return y.to_vector<uint8_t>(); };
  const auto upside_down =
      bytes(strided_slice(reverse(pattern, 0), {0, 0}, {40, kColumns}, {.strides = {1, 3}}));
  const auto some_rows = bytes(gather(pattern, Tensor{3, 39, 0}));
  const auto more = bytes(gather_and_add(pattern, Tensor{3, 39, 0}));
  const auto some_elements = bytes(gather_nd(pattern, Tensor{{3, 17}, {39, 4095}}));

  const Tensor small = pattern.to(kGpu), rows = Tensor{kRows + 3, kRows + 39, kRows}.to(kGpu),
               elements = Tensor{{kRows + 3, int64_t{17}}, {kRows + 39, int64_t{4095}}}.to(kGpu);
  const OnGpu only;
  const Tensor x = pad(small, {{kRows, 0}, {0, 0}}, {.constant_values = 7});
  EXPECT_EQ(bytes(slice(x, {kRows, 0}, {40, kColumns})), bytes(pattern));
  EXPECT_EQ(bytes(slice(x, {kRows - 1, 5}, {1, 3})), std::vector<uint8_t>(3, 7));
  EXPECT_EQ(bytes(strided_slice(x, {-1, 0}, {kRows - 1, kColumns}, {.strides = {-1, 3}})),
            upside_down);
  EXPECT_EQ(bytes(gather(x, rows)), some_rows);
  EXPECT_EQ(bytes(gather_and_add(x, rows)), more);
  EXPECT_EQ(bytes(gather_nd(x, elements)), some_elements);
}

/// An index out of range reads zeros, and an update at one is dropped.
TEST_F(GpuMovement, IndicesOutOfRangeDoNoHarm) {
  const Tensor x = Tensor{{1.f, 2.f}, {3.f, 4.f}}.to(kGpu);
  const Tensor at = Tensor{1, -1, 0, 2, 1'000'000'000}.to(kGpu);
  const OnGpu only;
  EXPECT_EQ(gather(x, at).to_vector<float>(), (std::vector<float>{3, 4, 0, 0, 1, 2, 0, 0, 0, 0}));
  EXPECT_EQ(gather_and_add(x, at).to_vector<float>(),
            (std::vector<float>{4, 5, 1, 1, 2, 3, 1, 1, 1, 1}));
  const Tensor pairs = Tensor{{1, 0}, {0, 2}, {-1, 1}}.to(kGpu);
  EXPECT_EQ(gather_nd(x, pairs).to_vector<float>(), (std::vector<float>{3, 0, 0}));
  const Tensor ones = Tensor{1.f, 1.f, 1.f}.to(kGpu);
  EXPECT_EQ(scatter_nd(pairs, ones, {2, 2}).to_vector<float>(), (std::vector<float>{0, 0, 1, 0}));
  const Tensor positions = Tensor{{5}, {1}, {-3}}.to(kGpu);
  EXPECT_EQ(scatter_nd(positions, ones, {3}).to_vector<float>(), (std::vector<float>{0, 1, 0}));
}

/// Whichever block comes first, sums are the same; few updates and many take two ways.
TEST_F(GpuMovement, ScatteredSumsAreTheSameAtEveryRun) {
  for (const int64_t count : {2000, 50'000}) {
    const Tensor at = random_tensor({int32, {count, 1}}, {0, 30}).to(kGpu);
    const Tensor updates = random_tensor({float32, {count, 5}}, {-1, 1}).to(kGpu);
    const OnGpu only;
    const auto sums = scatter_nd(at, updates, {40, 5}).to_vector<float>();
    for (int run = 0; run < 5; ++run)
      EXPECT_EQ(scatter_nd(at, updates, {40, 5}).to_vector<float>(), sums);
  }
}
