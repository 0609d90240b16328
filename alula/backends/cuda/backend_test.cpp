// The GPU behind the contract of runtime/backend.h: memory, copies, tickets.
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <numeric>
#include <thread>

#include "alula/ops/add.h"
#include "alula/runtime/device_config.h"
#include "alula/testing/gpu.h"

using namespace alula;
using namespace alula::testing;

namespace {

std::vector<uint8_t> random_bytes(size_t count) {
  std::vector<uint8_t> bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(i * 2654435761u >> 13);
  return bytes;
}

}  // namespace

using Gpu = GpuTest;

TEST_F(Gpu, IsListedAndDescribesItself) {
  EXPECT_EQ(config::list_physical_devices(DeviceType::kGPU)[0], Device("/GPU:0"));
  EXPECT_EQ(usable("/GPU:0"), kGpu);
  EXPECT_NE(gpu().description().find("multiprocessors"), std::string::npos);
  EXPECT_GT(gpu().memory().total, int64_t{1} << 30);
  fmt::print("{}\n", gpu().description());
}

TEST_F(Gpu, PluginRefusesAnotherBuildOfTheLibrary) {
  void* library = dlopen(plugin::file().c_str(), RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  const auto entry = reinterpret_cast<plugin::Entry>(dlsym(library, "alula_plugin"));
  for (const plugin::BuildId& other :
       {plugin::BuildId{kBackendVersion + 1, plugin::build_id().text},
        plugin::BuildId{kBackendVersion, "0.0.0 another compiler"}}) {
    const char* problem = entry(other);
    ASSERT_NE(problem, nullptr);
    EXPECT_NE(std::string(problem).find("built for another Alula"), std::string::npos) << problem;
  }
}

TEST_F(Gpu, ReleasedMemoryIsGivenOutAgain) {
  for (size_t bytes : {size_t{1}, size_t{1000}, size_t{100'000}, size_t{5'000'000}}) {
    void* first = gpu().allocate(bytes);
    gpu().release(first, bytes);
    void* second = gpu().allocate(bytes);
    EXPECT_EQ(first, second) << bytes;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(second) % 256, 0u);
    gpu().release(second, bytes);
  }
}

TEST_F(Gpu, CountsItsMemory) {
  const int64_t before = gpu().memory().in_use;
  void* block = gpu().allocate(3 << 20);
  EXPECT_GE(gpu().memory().in_use - before, 3 << 20);
  gpu().release(block, 3 << 20);
  EXPECT_EQ(gpu().memory().in_use, before);
  EXPECT_GE(gpu().memory().cached, 3 << 20);
}

TEST_F(Gpu, BlocksDoNotOverlap) {
  std::vector<std::pair<void*, std::vector<uint8_t>>> blocks;
  for (size_t i = 0; i < 200; ++i) {
    const std::vector<uint8_t> bytes(1 + i * i * 7, static_cast<uint8_t>(i));
    void* block = gpu().allocate(bytes.size());
    gpu().copy_from_host(block, bytes.data(), bytes.size());
    blocks.emplace_back(block, bytes);
  }
  for (const auto& [block, expected] : blocks) {
    std::vector<uint8_t> bytes(expected.size());
    gpu().copy_to_host(bytes.data(), block, bytes.size());
    EXPECT_EQ(bytes, expected);
    gpu().release(block, bytes.size());
  }
}

TEST_F(Gpu, TooMuchMemoryIsAnErrorToGoOnFrom) {
  EXPECT_ERROR(gpu().allocate(size_t{1} << 50), ResourceExhaustedError, "no memory for");
  // Half of the card, kept in the cache, is in the way of the other half and a bit.
  const auto half = static_cast<size_t>(gpu().memory().total / 2);
  gpu().release(gpu().allocate(half), half);
  const size_t more = half + (size_t{1} << 30);
  gpu().release(gpu().allocate(more), more);
  EXPECT_ERROR(
      (gpu().release(gpu().allocate(more), more), gpu().allocate(size_t(gpu().memory().total))),
      ResourceExhaustedError, "free");
  const Tensor x = Tensor{1.f, 2.f}.to(kGpu);
  EXPECT_EQ(add(x, x).to_vector<float>(), (std::vector<float>{2, 4}));
}

TEST_F(Gpu, CopiesOfAnySizeArrive) {
  for (size_t bytes : {size_t{1}, size_t{3}, size_t{63}, size_t{4095}, size_t{65'537},
                       size_t{4 << 20}, size_t{(4 << 20) + 1}, size_t{37'000'001}}) {
    const std::vector<uint8_t> expected = random_bytes(bytes);
    std::vector<uint8_t> from = expected, to(bytes);
    auto* block = static_cast<std::byte*>(gpu().allocate(2 * bytes));
    gpu().copy_from_host(block, from.data(), bytes);
    std::memset(from.data(), 0, bytes);  // it may be changed as soon as the call has returned
    gpu().copy(block + bytes, block, bytes);
    gpu().copy_to_host(to.data(), block + bytes, bytes);
    EXPECT_TRUE(to == expected) << bytes;
    gpu().release(block, 2 * bytes);
  }
  gpu().copy_from_host(nullptr, nullptr, 0);
  gpu().copy_to_host(nullptr, nullptr, 0);
}

/// A host tensor that lies in pinned memory, which a thread makes room for.
Tensor pinned_tensor(const std::vector<uint8_t>& bytes) {
  // What a copy back and forth takes tells pinned memory from the rest only roughly, so it is made
  // likely instead: the first tensor of a size asks for room, later ones find it.
  for (int i = 0; i < 3; ++i) {
    Tensor(bytes, {static_cast<int64_t>(bytes.size())});
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return Tensor(bytes, {static_cast<int64_t>(bytes.size())});
}

TEST_F(Gpu, TensorsOfAnySizeArriveFromPinnedMemory) {
  for (size_t bytes : {size_t{1}, size_t{3}, size_t{65'536}, size_t{65'537}, size_t{(4 << 20) - 1},
                       size_t{(4 << 20) + 1}, size_t{100'000'001}}) {
    const std::vector<uint8_t> expected = random_bytes(bytes);
    Tensor there;
    {
      const Tensor here = pinned_tensor(expected);
      there = here.to(kGpu);
    }  // its memory is given out again
    const Tensor other = Tensor(std::vector<uint8_t>(bytes, 5), {static_cast<int64_t>(bytes)});
    EXPECT_TRUE(there.to_vector<uint8_t>() == expected) << bytes;
    // The contract of the plain copy: the source may be changed at once.
    Tensor source = pinned_tensor(expected);
    gpu().copy_from_host(there.mutable_data(), source.data(), bytes);
    std::memset(source.mutable_data(), 0, bytes);
    EXPECT_TRUE(there.to_vector<uint8_t>() == expected) << bytes;
  }
}

TEST_F(Gpu, CopiesKeepTheirOrderWithKernels) {
  constexpr int64_t kCount = 1 << 20;
  // An upload into memory that kernels which have not run yet still read or write.
  const Tensor ones = Tensor(std::vector<float>(kCount, 1.f)).to(kGpu);
  for (int round = 0; round < 20; ++round) {
    Tensor sum = ones;
    for (int i = 0; i < 50; ++i) sum = add(sum, ones);  // blocks are released while in use
    const auto value = static_cast<float>(round);
    const Tensor fresh = Tensor(std::vector<float>(kCount, value)).to(kGpu);
    const Tensor both = add(sum, fresh);
    const std::vector<float> got = both.to_vector<float>();
    EXPECT_EQ(got.front(), 51 + value);
    EXPECT_EQ(got[kCount / 2], 51 + value);
    EXPECT_EQ(got.back(), 51 + value);
    EXPECT_EQ(fresh.to_vector<float>().back(), value);
  }
}

TEST_F(Gpu, LargeCopiesOfSeveralThreadsDoNotMix) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(6);
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([t, &wrong] {
      for (int i = 0; i < 10; ++i) {
        const std::vector<float> from(700'000 + 1000 * t + i, static_cast<float>(t + i));
        const Tensor x = Tensor(from).to(kGpu);
        for (float value : add(x, x).to_vector<float>())
          wrong[t] += value != 2 * static_cast<float>(t + i);
        std::vector<float> back(from.size());
        gpu().copy_to_host(back.data(), x.data(), back.size() * 4);
        wrong[t] += back != from;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(6));
}

TEST_F(Gpu, ManySmallCopiesKeepTheirOrder) {
  std::vector<int> expected(20'000), to(20'000);
  std::iota(expected.begin(), expected.end(), 0);
  auto* block = static_cast<int*>(gpu().allocate(expected.size() * 4));
  for (size_t i = 0; i < expected.size(); ++i) {
    int value = -1;
    gpu().copy_from_host(block + i, &value, 4);
    value = expected[i];
    gpu().copy_from_host(block + i, &value, 4);
  }
  gpu().copy_to_host(to.data(), block, to.size() * 4);
  EXPECT_EQ(to, expected);
  gpu().release(block, expected.size() * 4);
}

TEST_F(Gpu, TicketsAreKept) {
  const Tensor x = random_tensor({float32, {4 << 20}}).to(kGpu);
  std::vector<Ticket> tickets;
  Tensor y = x;
  for (int i = 0; i < 600; ++i) {  // more than are kept apart
    y = add(y, x);
    tickets.push_back(gpu().record());
  }
  gpu().wait(tickets.front());
  EXPECT_TRUE(gpu().done(tickets.front()));
  gpu().wait(tickets.back());
  for (Ticket ticket : tickets) EXPECT_TRUE(gpu().done(ticket));
  gpu().synchronize();
}

namespace {

/// What is said of a kernel that reads where nothing lies.
std::string fault() {
  const Spec spec{float32, {1000}};
  const ElementwiseOp op(add.program(float32));
  Backend& gpu = backend_of(kGpu);
  Tensor output = Tensor::uninitialized(spec, gpu);
  const View nowhere{&spec, reinterpret_cast<void*>(uintptr_t{1} << 30)};
  const View inputs[] = {nowhere, nowhere}, outputs[] = {{&spec, output.mutable_data()}};
  try {
    gpu.run(op, inputs, outputs);
    gpu.synchronize();
  } catch (const InternalError& error) {
    return error.what();
  }
  return "nothing";
}

}  // namespace

// In processes of their own, since a fault ends a GPU's context. They must also end without a
// crash.
using GpuDeathTest = Gpu;

TEST_F(GpuDeathTest, AFaultSaysHowToFindItsOp) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((fmt::print(stderr, "{}\n", fault()), std::exit(0)), ::testing::ExitedWithCode(0),
              "context is lost.*run the program with ALULA_SYNC=1");
}

TEST_F(GpuDeathTest, AFaultNamesItsOpWhereExecutionIsSynchronous) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      (config::set_synchronous_execution(true), fmt::print(stderr, "{}\n", fault()), std::exit(0)),
      ::testing::ExitedWithCode(0),
      "add: its kernel failed on the GPU. Got float32\\[1000\\], float32\\[1000\\]");
}

TEST_F(Gpu, SynchronousExecutionGivesTheSameResults) {
  config::set_synchronous_execution(true);
  const Tensor x = Tensor{1.f, 2.f}.to(kGpu);
  EXPECT_EQ(add(x, x).to_vector<float>(), (std::vector<float>{2, 4}));
  const Spec spec{float32, {2}};
  const auto op = std::make_shared<ElementwiseOp>(add.program(float32));
  const auto list = gpu().prepare(
      {{op, {{spec, 0}, {spec, 0}}, {{spec, 1}}}, {op, {{spec, 1}, {spec, 0}}, {{spec, 1}}}});
  Tensor y = x.to(kCPU).to(kGpu), z = Tensor::uninitialized(spec, gpu());
  list->run(std::vector<void*>{y.mutable_data(), z.mutable_data()});
  config::set_synchronous_execution(false);
  EXPECT_EQ(z.to_vector<float>(), (std::vector<float>{3, 6}));
}

TEST_F(Gpu, TheCacheIsGivenBackAndThePeakCounted) {
  config::reset_memory_stats(kGpu);
  const int64_t before = config::get_memory_info(kGpu).current;
  gpu().release(gpu().allocate(64 << 20), 64 << 20);
  EXPECT_GE(config::get_memory_info(kGpu).peak, before + (64 << 20));
  EXPECT_GE(gpu().memory().cached, 64 << 20);
  config::empty_cache(kGpu);
  EXPECT_LT(gpu().memory().cached, 64 << 20);
  EXPECT_EQ(config::get_memory_info(kGpu).current, before);
  const Tensor x = Tensor{1.f}.to(kGpu);
  EXPECT_ERROR(config::set_logical_device_configuration(kGpu, {{.memory_limit = 1024}}),
               FailedPreconditionError, "once memory has been taken");
}

TEST_F(GpuDeathTest, TheLimitIsKept) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto use = [] {
    config::set_logical_device_configuration(kGpu, {{.memory_limit = 64}});
    try {
      backend_of(kGpu).allocate(65 << 20);
    } catch (const ResourceExhaustedError& error) {
      fmt::print(stderr, "{}\n", error.what());
    }
    std::exit(0);
  };
  EXPECT_EXIT(use(), ::testing::ExitedWithCode(0), "The limit set for this process is 67108864");
}

TEST_F(Gpu, ThreadsShareIt) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, &wrong] {
      for (int i = 0; i < 200; ++i) {
        const Tensor x = Tensor(std::vector<float>(1000 + i, static_cast<float>(t))).to(kGpu);
        for (float value : add(x, x).to_vector<float>())
          wrong[t] += value != 2 * static_cast<float>(t);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}
