// Prepared lists of calls: captured graphs.
#include <random>

#include "alula/ops/cholesky.h"
#include "alula/ops/cumsum.h"
#include "alula/ops/matmul.h"
#include "alula/ops/random.h"
#include "alula/ops/scatter_nd.h"
#include "alula/ops/slice.h"
#include "alula/ops/sort.h"
#include "alula/ops/table.h"
#include "alula/testing/gpu.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// y = (relu(x w) + b), in four slots: x, w, b and a block that holds the middle and the result.
struct Layer {
  static constexpr int64_t kSize = 48;
  static constexpr size_t kBytes = kSize * kSize * sizeof(float);
  Spec square{float32, {kSize, kSize}};
  Spec row{float32, {kSize}};

  std::vector<Step> steps() const {
    const auto elementwise = [](const char* name) {
      return std::make_shared<ElementwiseOp>(find_elementwise(name)->program(float32));
    };
    const Operand x{square, 0}, w{square, 1}, b{row, 2}, middle{square, 3},
        result{square, 3, kBytes};
    return {{std::make_shared<MatMul>(), {x, w}, {middle}},
            {elementwise("relu"), {middle}, {middle}},  // in place
            {elementwise("add"), {middle, b}, {result}}};
  }
};

/// The slots, filled with random numbers, and what the list must make of them.
struct Slots {
  explicit Slots(Backend& gpu) : gpu(gpu) {
    x = random_tensor(layer.square).to(kGpu);
    w = random_tensor(layer.square).to(kGpu);
    b = random_tensor(layer.row).to(kGpu);
    work = Tensor::uninitialized({float32, {2 * Layer::kSize, Layer::kSize}}, gpu);
  }
  std::vector<void*> addresses() {
    return {x.mutable_data(), w.mutable_data(), b.mutable_data(), work.mutable_data()};
  }
  Tensor expected() const {
    return (*find_elementwise("add"))((*find_elementwise("relu"))(matmul(x.cpu(), w.cpu())),
                                      b.cpu());
  }
  Tensor result() {
    Tensor host = Tensor::uninitialized(layer.square);
    gpu.copy_to_host(host.mutable_data(),
                     static_cast<std::byte*>(work.mutable_data()) + Layer::kBytes, Layer::kBytes);
    return host;
  }

  Backend& gpu;
  Layer layer;
  Tensor x, w, b, work;
};

void expect_right(Slots& slots) {
  expect_equal(slots.result(), to_array(slots.expected()), float32,
               {.relative = 1e-5, .scale = 10});
}

}  // namespace

class GpuGraph : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    config::enable_tensor_float_32_execution(false);
  }
  void TearDown() override { config::enable_tensor_float_32_execution(true); }
};

TEST_F(GpuGraph, GivesWhatItsCallsGive) {
  Slots slots(gpu());
  const auto executable = gpu().prepare(Layer().steps());
  executable->run(slots.addresses());
  expect_right(slots);
}

TEST_F(GpuGraph, ReadsItsInputsAtEveryRun) {
  Slots slots(gpu());
  const auto executable = gpu().prepare(Layer().steps());
  for (int i = 0; i < 5; ++i) {
    const Tensor fresh = random_tensor(slots.layer.square);
    gpu().copy_from_host(slots.x.mutable_data(), fresh.data(), Layer::kBytes);
    executable->run(slots.addresses());
    expect_right(slots);
  }
}

TEST_F(GpuGraph, FollowsSlotsThatMove) {
  const auto executable = gpu().prepare(Layer().steps());
  std::vector<Slots> all;
  for (int i = 0; i < 5; ++i) all.emplace_back(gpu());  // one more than are kept
  for (int round = 0; round < 3; ++round)
    for (Slots& slots : all) {
      executable->run(slots.addresses());
      expect_right(slots);
    }
}

/// Kernels that need nothing of one another may run at the same time; all others keep their order:
/// those that read what another writes, and those that write over what another reads or writes.
TEST_F(GpuGraph, StepsThatNeedOneAnotherKeepTheirOrder) {
  constexpr int kValues = 10, kSteps = 90;
  constexpr int64_t kLong = 1500;
  std::vector<Tensor> values;
  for (int i = 0; i < kValues; ++i)
    values.push_back(random_tensor({float32, {i % 2 == 0 ? kLong : int64_t{40}}}));
  std::vector<Tensor> there;
  std::vector<void*> slots;
  for (const Tensor& value : values) {
    there.push_back(Tensor::uninitialized(value.spec(), gpu()));
    slots.push_back(there.back().mutable_data());
  }
  const char* const names[] = {"add", "sub", "maximum"};
  std::vector<std::shared_ptr<ElementwiseOp>> ops;
  for (const char* name : names)
    ops.push_back(std::make_shared<ElementwiseOp>(find_elementwise(name)->program(float32)));
  std::vector<Step> steps;
  std::vector<Tensor> expected = values;
  std::mt19937 random(7);
  for (int i = 0; i < kSteps; ++i) {
    // Values of one length; the difference of two that are the same would tell nothing.
    const auto pick = [&, odd = random() % 2] { return static_cast<int>(random() % 5 * 2 + odd); };
    const int a = pick(), to = pick(), b = (a + 2) % kValues;
    const size_t op = random() % ops.size();
    const Spec& spec = values[a].spec();
    steps.push_back({ops[op], {{spec, a}, {spec, b}}, {{spec, to}}});
    expected[to] = (*find_elementwise(names[op]))(expected[a], expected[b]);
  }
  const auto executable = gpu().prepare(std::move(steps));
  // The first runs are with chains and without, in turn.
  for (int run = 0; run < 8; ++run) {
    for (int i = 0; i < kValues; ++i)
      gpu().copy_from_host(slots[i], values[i].data(), static_cast<size_t>(values[i].bytes()));
    executable->run(slots);
    for (int i = 0; i < kValues; ++i)
      EXPECT_EQ(there[i].cpu().to_vector<float>(), expected[i].to_vector<float>()) << i;
  }
}

/// An address that is aligned less needs another kernel, so the graph is made anew.
TEST_F(GpuGraph, FollowsSlotsThatAreAlignedLess) {
  const Spec spec{float32, {1000}};
  const Operand x{spec, 0}, y{spec, 1};
  const auto executable = gpu().prepare(
      {{std::make_shared<ElementwiseOp>(find_elementwise("relu")->program(float32)), {x}, {y}}});
  const Tensor from = random_tensor({float32, {1001}}), on_gpu = from.to(kGpu);
  Tensor to = Tensor::uninitialized({float32, {1001}}, gpu());
  for (int64_t offset : {0, 1, 0}) {
    executable->run(
        std::vector<void*>{const_cast<float*>(static_cast<const float*>(on_gpu.data())) + offset,
                           static_cast<float*>(to.mutable_data()) + offset});
    const std::vector<float> result = to.to_vector<float>();
    for (int64_t i = offset; i < 1000 + offset; ++i)
      ASSERT_EQ(result[i], std::max(0.f, from.span<float>()[i])) << i;
  }
}

/// Sorting takes memory on the way. It stays the graph's, though others ask for some meanwhile.
TEST_F(GpuGraph, KeepsTheScratchOfItsKernels) {
  const Spec indices{int32, {9000, 1}}, updates{float64, {9000, 2}}, sums{float64, {500, 2}};
  const Spec orders{int32, {500, 2}};
  const auto executable = gpu().prepare(
      {{std::make_shared<ScatterNd>(sums.shape), {{indices, 0}, {updates, 1}}, {{sums, 2}}},
       {std::make_shared<CumSum>(), {{sums, 2}}, {{sums, 3}}},
       {std::make_shared<ArgSort>(SortOptions{.axis = 0}), {{sums, 3}}, {{orders, 4}}}});
  Tensor a = Tensor::uninitialized(sums, gpu()), b = Tensor::uninitialized(sums, gpu());
  Tensor order = Tensor::uninitialized(orders, gpu());
  for (int run = 0; run < 3; ++run) {
    const Tensor at = random_tensor(indices, {0, 499}), from = random_tensor(updates);
    Tensor on_at = at.to(kGpu), on_from = from.to(kGpu);
    argsort(random_tensor({float32, {20'000}}).to(kGpu));
    executable->run(std::vector<void*>{on_at.mutable_data(), on_from.mutable_data(),
                                       a.mutable_data(), b.mutable_data(), order.mutable_data()});
    argsort(random_tensor({float32, {20'000}}).to(kGpu));
    const Tensor expected = cumsum(scatter_nd(at, from, sums.shape));
    expect_equal(b.cpu(), to_array(expected), float64, {.relative = 1e-12, .scale = 100});
    EXPECT_EQ(order.to_vector<int32_t>(), argsort(b.cpu(), {.axis = 0}).to_vector<int32_t>());
  }
}

/// Random numbers, too, are written several at once where the address allows it.
TEST_F(GpuGraph, DrawsTheSameAtAnyAddress) {
  for (const DType dtype : {float16, float32, float64}) {
    SCOPED_TRACE(name_of(dtype));
    RandomUniform op;
    op.output = {dtype, {1001}};
    op.stream = {.key = 5, .high = 6, .low = 7};
    const auto executable =
        gpu().prepare({{std::make_shared<RandomUniform>(op), {}, {{op.output, 0}}}});
    const Tensor expected = call(op);
    Tensor room = Tensor::uninitialized({dtype, {1002}}, gpu());
    for (int64_t offset : {0, 1, 0}) {
      executable->run(std::vector<void*>{static_cast<std::byte*>(room.mutable_data()) +
                                         offset * static_cast<int64_t>(size_of(dtype))});
      expect_equal(slice(room.cpu(), {offset}, {1001}), to_array(expected), dtype);
    }
  }
}

/// A captured shuffle draws from a stream in the card's memory, which others may write to.
TEST_F(GpuGraph, ShufflesByTheStreamThatItIsFed) {
  const Spec spec{int32, {3000}}, fed{uint64, {3}};
  const auto executable =
      gpu().prepare({{std::make_shared<RandomShuffle>(), {{spec, 0}, {fed, 1}}, {{spec, 2}}}});
  const Tensor values = random_tensor(spec, {0, 1e6});
  Tensor from = values.to(kGpu), to = Tensor::uninitialized(spec, gpu());
  Tensor stream = Tensor::uninitialized(fed, gpu());
  for (uint64_t run = 0; run < 3; ++run) {
    RandomShuffle op;
    op.stream = {.key = 3 + run, .high = 4, .low = 5};
    gpu().copy_from_host(stream.mutable_data(), &op.stream, sizeof(op.stream));
    executable->run(
        std::vector<void*>{from.mutable_data(), stream.mutable_data(), to.mutable_data()});
    EXPECT_EQ(to.to_vector<int32_t>(), call(op, values).to_vector<int32_t>());
  }
}

TEST_F(GpuGraph, WithoutKernelsIsAnErrorBeforeItRuns) {
  const Spec spec{float32, {1000, 1000}};  // too large for a block
  EXPECT_ERROR(gpu().prepare({{std::make_shared<Cholesky>(), {{spec, 0}}, {{spec, 1}}}}),
               UnimplementedError, "no kernel for it on the GPU");
}

TEST_F(GpuGraph, MayBeEmpty) { gpu().prepare({})->run({}); }
