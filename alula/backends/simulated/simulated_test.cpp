#include "alula/backends/simulated/simulated.h"

#include <chrono>
#include <numeric>
#include <semaphore>
#include <thread>
#include <unistd.h>

#include <sys/wait.h>

#include "alula/ops/add.h"
#include "alula/ops/relu.h"
#include "alula/runtime/devices.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

/// A latency that a missing wait cannot hide behind.
constexpr int64_t kLong = 20'000;

/// An op of one input whose output is like it.
template <class Derived>
struct TestOp : OpOf<Derived> {
  static constexpr DTypeSet kDTypes = kAnyType;
  Specs infer(SpecRefs inputs) const override { return {inputs[0]}; }
};

struct Failing final : TestOp<Failing> {
  static constexpr const char* kName = "failing";
  int number = 0;
  Attributes attributes() const override { return {{"number", number}}; }
};
const RegisterKernel<DeviceType::kCPU, Failing> failing{[](const Failing& op, const KernelCall&) {
  fail<InvalidArgumentError>("failing: number {}.", op.number);
}};

/// Computes nothing until the gate is opened.
std::binary_semaphore g_gate{0};
struct Gated final : TestOp<Gated> {
  static constexpr const char* kName = "gated";
};
const RegisterKernel<DeviceType::kCPU, Gated> gated{[](const Gated&, const KernelCall& call) {
  g_gate.acquire();
  std::copy_n(call.inputs[0].as<float>(), call.inputs[0].size(), call.outputs[0].as<float>());
}};

struct Overrunning final : TestOp<Overrunning> {
  static constexpr const char* kName = "overrunning";
};
const RegisterKernel<DeviceType::kCPU, Overrunning> overrunning{
    [](const Overrunning&, const KernelCall& call) {
      std::fill_n(call.outputs[0].as<float>(), call.outputs[0].size() + 1, 0.f);
    }};

struct WithoutKernel final : TestOp<WithoutKernel> {
  static constexpr const char* kName = "without_kernel";
};

Tensor counting(int count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.f);
  return values;
}

/// Adds a device for the test, and takes it away after it.
class Simulated : public ::testing::Test {
 protected:
  void use(const simulated::Options& options) { device_ = simulated::add(options); }
  Device device() {
    if (device_.is_cpu()) use({});
    return device_;
  }
  Backend& backend() { return backend_of(device()); }
  simulated::Statistics statistics() { return simulated::statistics(device()); }
  void TearDown() override {
    if (!device_.is_cpu()) simulated::remove(device_);
  }

 private:
  Device device_ = kCPU;
};

}  // namespace

TEST_F(Simulated, IsThereOnlyWhileItIsAdded) {
  const auto before = config::list_physical_devices(DeviceType::kSimulated);
  const Device added = simulated::add();
  EXPECT_EQ(config::list_physical_devices(DeviceType::kSimulated).size(), before.size() + 1);
  EXPECT_EQ(backend_of(added).device(), added);
  EXPECT_EQ(backend_of(added).description(), "Simulated device, 256 MiB");
  simulated::remove(added);
  EXPECT_EQ(config::list_physical_devices(DeviceType::kSimulated), before);
  EXPECT_ERROR(backend_of(added), NotFoundError, "no simulated device has been added");
  EXPECT_ERROR(simulated::remove(kCPU), InvalidArgumentError, "/CPU:0 is not a simulated device");
  EXPECT_ERROR(simulated::add({.memory_limit = 0}), InvalidArgumentError, "must be positive");
}

TEST_F(Simulated, IsNotRemovedWhileItHoldsTensors) {
  const Tensor x = counting(3).to(device());
  EXPECT_ERROR(simulated::remove(device()), FailedPreconditionError, "bytes are in use");
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 1, 2}));
}

TEST_F(Simulated, ComputesWhatTheCpuDoes) {
  const Tensor x = random_tensor({float32, {33, 17}});
  const Tensor there = x.to(device());
  const Tensor sum = add(relu(there), there);
  EXPECT_EQ(sum.device(), device());
  EXPECT_EQ(sum.to_vector<float>(), add(relu(x), x).to_vector<float>());
}

TEST_F(Simulated, OnlyWhatIsAskedForCrosses) {
  const Tensor x = counting(100).to(device());
  const Tensor y = add(relu(x), x);
  EXPECT_EQ(statistics().launches, 2);
  EXPECT_EQ(statistics().copies_from_host, 1);
  EXPECT_EQ(statistics().bytes_from_host, 400);
  EXPECT_EQ(statistics().copies_to_host, 0);
  EXPECT_EQ(y.to_vector<float>()[99], 198);
  EXPECT_EQ(statistics().copies_to_host, 1);
  EXPECT_EQ(statistics().bytes_to_host, 400);
  EXPECT_EQ(x.to(device()).data(), x.data());
  EXPECT_EQ(statistics().copies_from_host, 1);
}

TEST_F(Simulated, TensorsGoFromOneToTheOther) {
  const Tensor x = counting(100).to(device());
  const Device second = simulated::add();
  {
    const Tensor y = x.to(second);
    EXPECT_EQ(y.device(), second);
    EXPECT_EQ(y.to_vector<float>(), x.to_vector<float>());
    EXPECT_EQ(add(x, y).device(), device()) << "the first operand decides";
  }
  EXPECT_EQ(simulated::statistics(second).bytes_from_host, 400);
  simulated::remove(second);
}

TEST_F(Simulated, TheHarnessRunsOpsOnIt) {
  const std::vector<Device> devices = test_devices();
  const Device zero(DeviceType::kSimulated, 0);
  ASSERT_NE(std::find(devices.begin(), devices.end(), zero), devices.end());
  const int64_t before = simulated::statistics(zero).launches;
  OpTest::check([](const std::vector<Tensor>& in) { return relu(in[0]); }, {counting(5)},
                [](const std::vector<Array>& in) { return in[0]; });
  EXPECT_EQ(simulated::statistics(zero).launches, before + 1);
}

TEST_F(Simulated, LaunchingDoesNotWait) {
  const Tensor x = counting(4).to(device());
  const Ticket before = backend().record();
  const Tensor y = call(Gated(), x);
  const Ticket after = backend().record();
  backend().wait(before);
  EXPECT_TRUE(backend().done(before));
  EXPECT_FALSE(backend().done(after));
  g_gate.release();
  backend().wait(after);
  EXPECT_TRUE(backend().done(after));
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_ERROR(backend().wait(after + 100), InternalError, "is not of this queue");
}

TEST_F(Simulated, ReadingWaitsForTheQueue) {
  use({.launch_latency_us = kLong, .copy_latency_us = kLong});
  const Tensor x = counting(100).to(device());
  const Tensor y = add(x, x);
  std::vector<float> read(100, -1.f);
  backend().copy_to_host(read.data(), y.data(), 400);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(read[i], 2.f * static_cast<float>(i));
  backend().synchronize();
}

TEST_F(Simulated, SourceMayChangeAfterCopy) {
  use({.copy_latency_us = kLong});
  std::vector<float> values(1000, 1.f);
  const Tensor there = Tensor::uninitialized({float32, {1000}}, backend());
  backend().copy_from_host(const_cast<void*>(there.data()), values.data(), 4000);
  std::fill(values.begin(), values.end(), 2.f);
  EXPECT_EQ(there.to_vector<float>(), std::vector<float>(1000, 1.f));
}

TEST_F(Simulated, CopiesWithinAreOrdered) {
  use({.launch_latency_us = kLong});
  const Tensor x = counting(10).to(device());
  const Tensor y = add(x, x);
  const Tensor z = Tensor::uninitialized(y.spec(), backend());
  backend().copy(const_cast<void*>(z.data()), y.data(), 40);
  EXPECT_EQ(z.to_vector<float>(), y.to_vector<float>());
  EXPECT_EQ(z.to_vector<float>()[9], 18);
  EXPECT_EQ(statistics().copies_within, 1);
}

TEST_F(Simulated, ReleasedMemoryIsReusedInOrder) {
  use({.launch_latency_us = kLong, .copy_latency_us = kLong});
  const Tensor x = counting(100).to(device());
  Tensor middle = add(x, x);
  const void* where = middle.data();
  const Tensor last = add(middle, middle);
  middle = Tensor();  // while the work that reads it is still on the queue
  const Tensor other = Tensor(std::vector<float>(100, -1.f)).to(device());
  EXPECT_EQ(other.data(), where);
  EXPECT_EQ(last.to_vector<float>()[99], 4 * 99);
  EXPECT_EQ(other.to_vector<float>()[99], -1);
}

TEST_F(Simulated, ErrorIsThrownAtTheNextWait) {
  const Tensor x = counting(3).to(device());
  const Ticket before = backend().record();
  Failing op;
  op.number = 1;
  const Tensor y = call(op, x);
  op.number = 2;  // the queue has its own copy of the op
  const Tensor z = call(op, x);
  EXPECT_NO_THROW(backend().wait(before)) << "the work before the error has none";
  EXPECT_ERROR(x.to_vector<float>(), InvalidArgumentError, "failing: number 1.");
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 1, 2})) << "it is thrown once";
}

TEST_F(Simulated, OutOfMemoryLeavesTheProgramRunning) {
  use({.memory_limit = 1 << 20});
  Tensor a = counting(100'000).to(device());
  const Tensor b = counting(100'000).to(device());
  EXPECT_ERROR(add(a, b), ResourceExhaustedError, "has no block of 400000 bytes left: 800");
  EXPECT_ERROR(add(a, b), ResourceExhaustedError, "of 1048576 bytes are in use");
  EXPECT_EQ(b.to_vector<float>()[99'999], 99'999) << "what was there is untouched";
  a = Tensor();
  EXPECT_EQ(add(b, b).to_vector<float>()[99'999], 2 * 99'999);
  EXPECT_EQ(backend().memory().total, 1 << 20);
}

TEST_F(Simulated, PreparedListRunsWithNewSlots) {
  use({.launch_latency_us = kLong});
  const Spec spec{float32, {8}};
  const auto op = [](const Elementwise& f) {
    return std::make_shared<ElementwiseOp>(f.program(float32));
  };
  // The slot 1 holds the intermediate result in its second half.
  std::vector<Step> steps{
      {.op = op(relu), .inputs = {{spec, 0}}, .outputs = {{spec, 1, 32}}},
      {.op = op(add), .inputs = {{spec, 1, 32}, {spec, 0}}, .outputs = {{spec, 2}}}};
  std::unique_ptr<Executable> list = backend().prepare(steps);
  const Tensor scratch = Tensor::uninitialized({float32, {16}}, backend());
  const auto run = [&](const Tensor& in, const Tensor& out) {
    list->run(std::array{const_cast<void*>(in.data()), const_cast<void*>(scratch.data()),
                         const_cast<void*>(out.data())});
  };
  const Tensor up = counting(8).to(device()), down = Tensor(std::vector<float>(8, -3)).to(device());
  const Tensor first = Tensor::uninitialized(spec, backend());
  const Tensor second = Tensor::uninitialized(spec, backend());
  run(up, first);
  run(down, second);
  list.reset();  // before it has run
  EXPECT_EQ(first.to_vector<float>(), (std::vector<float>{0, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(second.to_vector<float>(), std::vector<float>(8, -3));
  EXPECT_EQ(statistics().launches, 2) << "a list is one launch";

  steps[1].op = std::make_shared<WithoutKernel>();
  EXPECT_ERROR(backend().prepare(steps), UnimplementedError, "without_kernel: there is no kernel");
}

TEST_F(Simulated, AddressesOfTheHostAreRefused) {
  const Spec spec{float32, {4}};
  float host[4] = {};
  const Tensor there = counting(4).to(device());
  const View here{&spec, host}, good{&spec, const_cast<void*>(there.data())};
  const ElementwiseOp op(relu.program(float32));
  EXPECT_ERROR(backend().run(op, {&here, 1}, {&good, 1}), InternalError, "not in the device's");
  EXPECT_ERROR(backend().copy(host, there.data(), 16), InternalError, "not in the device's");
}

TEST_F(Simulated, StringsAndOpsWithoutKernelsAreNotSupported) {
  const Spec number{float32, {2}}, text{string, {2}};
  const Spec *numbers[] = {&number}, *texts[] = {&text};
  EXPECT_TRUE(backend().supports(Gated(), SpecRefs(numbers)));
  EXPECT_FALSE(backend().supports(Gated(), SpecRefs(texts)));
  EXPECT_FALSE(backend().supports(WithoutKernel(), SpecRefs(numbers)));
}

TEST_F(Simulated, LatenciesTakeTheirTime) {
  const auto taken = [&](const Tensor& x) {
    const auto start = std::chrono::steady_clock::now();
    const Tensor there = x.to(device());
    backend().synchronize();
    return std::chrono::steady_clock::now() - start;
  };
  use({.copy_latency_us = 5000, .bytes_per_second = 10'000'000});
  EXPECT_GE(taken(counting(1)), std::chrono::milliseconds(5));
  EXPECT_GE(taken(counting(25'000)), std::chrono::milliseconds(15));
}

TEST_F(Simulated, AnOverrunOfABlockIsFound) {
  if (!memory::guarded()) GTEST_SKIP() << "blocks have guard bytes only with ALULA_GUARD_BYTES";
  const Tensor x = counting(16).to(device());
  {
    const Tensor y = call(Overrunning(), x);
  }
  EXPECT_ERROR(backend().synchronize(), InternalError, "wrote past the end of a block of 64 bytes");
}

TEST_F(Simulated, SeveralThreadsMayUseIt) {
  std::vector<std::thread> threads;
  const Device where = device();
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([=] {
      for (int i = 0; i < 50; ++i) {
        const Tensor x = Tensor(std::vector<float>(300, static_cast<float>(t))).to(where);
        const Tensor y = add(add(x, x), x);
        EXPECT_EQ(y.to_vector<float>(), std::vector<float>(300, 3.f * static_cast<float>(t)));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Simulated, MemoryIsUnreadableToTheHost) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Tensor x = counting(4).to(device());
  backend().synchronize();
  const auto* elements = static_cast<const volatile float*>(x.data());
  EXPECT_DEATH((void)*elements, "");
  EXPECT_ERROR(x.span<float>(), FailedPreconditionError, "its elements are on /SIM:");
}

TEST_F(Simulated, IsAnErrorInAForkedProcess) {
  const Tensor x = counting(4).to(device());
  const pid_t child = fork();
  if (child == 0) {
    try {
      x.to_vector<float>();
    } catch (const FailedPreconditionError&) {
      _exit(0);
    } catch (...) {
      _exit(2);
    }
    _exit(1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
