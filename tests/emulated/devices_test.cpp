// Several GPUs, their memory and their faults, with the host in their place.
#include <cstdlib>

#include "alula/alula.h"
#include "alula/runtime/device_config.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

// Before anything asks for a device.
[[maybe_unused]] const bool g_chosen = [] {
  setenv("ALULA_PLUGIN", ALULA_EMULATED_PLUGIN, 1);
  setenv("ALULA_EMULATED_GPUS", "2", 1);
  return true;
}();

const Device kFirst{DeviceType::kGPU, 0}, kSecond{DeviceType::kGPU, 1};
constexpr int64_t kAllMiB = 4096;  // of an emulated GPU

/// An environment variable, for as long as it lives.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

/// Each op waited for, for as long as it lives.
struct Synchronous {
  Synchronous() { config::set_synchronous_execution(true); }
  ~Synchronous() { config::set_synchronous_execution(false); }
};

}  // namespace

TEST(SeveralGpus, AreListed) {
  EXPECT_EQ(config::list_physical_devices(DeviceType::kGPU), (std::vector{kFirst, kSecond}));
  EXPECT_ERROR(backend_of("/GPU:2"), NotFoundError,
               "/GPU:2 cannot be used: there are the GPUs /GPU:0, /GPU:1.");
}

TEST(SeveralGpus, TensorsCrossFromOneToTheOther) {
  const Tensor here{1.f, 2.f, 3.f};
  const Tensor first = here.to(kFirst), second = first.to(kSecond);
  EXPECT_EQ(first.device(), kFirst);
  EXPECT_EQ(second.device(), kSecond);
  EXPECT_NE(first.data(), second.data());
  EXPECT_EQ(second.to_vector<float>(), here.to_vector<float>());
  EXPECT_EQ(Tensor(std::vector<float>()).to(kFirst).to(kSecond).size(), 0);
  const Environment no_peers("ALULA_EMULATED_NO_PEERS", "1");
  EXPECT_EQ(first.to(kSecond).to(kFirst).to_vector<float>(), here.to_vector<float>());
}

TEST(SeveralGpus, AnOpFollowsItsFirstOperandThere) {
  const Tensor first = Tensor{1.f, 2.f}.to(kFirst), second = Tensor{10.f, 20.f}.to(kSecond);
  const Tensor sum = add(first, second), other = add(second, first);
  EXPECT_EQ(sum.device(), kFirst);
  EXPECT_EQ(other.device(), kSecond);
  EXPECT_EQ(sum.to_vector<float>(), (std::vector<float>{11, 22}));
  EXPECT_EQ(other.to_vector<float>(), (std::vector<float>{11, 22}));
  const auto scope = device(kSecond);
  EXPECT_EQ(add(first, first).device(), kSecond);
}

TEST(SeveralGpus, ACompiledFunctionRunsOnTheSecond) {
  Variable total(Tensor{0.f, 0.f});
  const auto step = function([&](const Tensor& x) {
    total.assign_add(x);
    return multiply(total.value(), x);
  });
  const auto scope = device(kSecond);
  for (int i = 1; i <= 3; ++i) {
    const Tensor y = step(Tensor{1.f, 2.f});
    EXPECT_EQ(y.device(), kSecond);
    const auto f = static_cast<float>(i);
    EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{f, 4 * f}));
  }
  EXPECT_EQ(total.device(), kSecond);
}

TEST(SeveralGpus, AFunctionMovesWithItsScope) {
  Variable weight(Tensor{2.f});
  const auto f = function([&](const Tensor& x) { return multiply(weight.value(), x); });
  for (const Device where : {kFirst, kSecond, kFirst, kCPU}) {
    const auto scope = device(where);
    EXPECT_EQ(f(Tensor{3.f}).to_vector<float>(), std::vector<float>{6});
  }
}

TEST(SeveralGpus, CanBeHidden) {
  config::set_visible_devices({kFirst}, DeviceType::kGPU);
  EXPECT_EQ(config::list_physical_devices(DeviceType::kGPU), std::vector{kFirst});
  EXPECT_ERROR(backend_of(kSecond), NotFoundError, "hidden by set_visible_devices");
  config::set_visible_devices({}, DeviceType::kGPU);
  EXPECT_TRUE(config::list_physical_devices(DeviceType::kGPU).empty());
  config::set_visible_devices({kFirst, kSecond}, DeviceType::kGPU);
  EXPECT_EQ(config::list_physical_devices(DeviceType::kGPU).size(), 2u);
  EXPECT_ERROR(config::set_visible_devices({kSecond}, DeviceType::kGPU), InvalidArgumentError,
               "must be the first of their type, in order. Got /GPU:1. Set CUDA_VISIBLE_DEVICES");
  EXPECT_ERROR(config::set_visible_devices({}, DeviceType::kCPU), InvalidArgumentError,
               "only GPUs can be hidden");
  EXPECT_ERROR(config::set_visible_devices({kFirst, kSecond, "/GPU:2"}, DeviceType::kGPU),
               NotFoundError, "there is no /GPU:2");
  EXPECT_EQ(config::list_physical_devices(DeviceType::kGPU).size(), 2u);
  const Tensor x = Tensor{1.f}.to(kSecond);
  EXPECT_ERROR(config::set_visible_devices({kFirst}, DeviceType::kGPU), FailedPreconditionError,
               "/GPU:1 cannot be hidden: there are tensors on it");
}

TEST(GpuMemory, IsCounted) {
  const int64_t before = config::get_memory_info(kFirst).current;
  config::reset_memory_stats(kFirst);
  {
    const Tensor x = Tensor(std::vector<float>(1000)).to(kFirst);
    EXPECT_EQ(config::get_memory_info(kFirst).current, before + 4000);
  }
  EXPECT_EQ(config::get_memory_info(kFirst).current, before);
  EXPECT_EQ(config::get_memory_info(kFirst).peak, before + 4000);
  config::reset_memory_stats(kFirst);
  EXPECT_EQ(config::get_memory_info(kFirst).peak, before);
  config::empty_cache(kFirst);
}

TEST(GpuMemory, CanBeLimited) {
  EXPECT_TRUE(config::get_logical_device_configuration(kSecond).empty());
  config::set_logical_device_configuration(kSecond, {{.memory_limit = 1}});
  ASSERT_EQ(config::get_logical_device_configuration(kSecond).size(), 1u);
  EXPECT_EQ(config::get_logical_device_configuration(kSecond)[0].memory_limit, 1);
  EXPECT_ERROR(Tensor(std::vector<float>(300'000)).to(kSecond), ResourceExhaustedError,
               "1048576 is the limit");
  {
    const Tensor x = Tensor(std::vector<float>(200'000)).to(kSecond);  // the program goes on
    EXPECT_ERROR(config::set_logical_device_configuration(kSecond, {{.memory_limit = 2}}),
                 FailedPreconditionError, "cannot be changed while memory is in use");
  }
  config::set_logical_device_configuration(kSecond, {{.memory_limit = kAllMiB}});
}

TEST(GpuMemory, LimitsThatMakeNoSenseAreErrors) {
  const auto set = [](Device device, std::vector<config::LogicalDeviceConfiguration> logical) {
    config::set_logical_device_configuration(device, logical);
  };
  EXPECT_ERROR(set(kSecond, {{.memory_limit = -1}}), InvalidArgumentError,
               "memory_limit must be a number of MiB above 0, or 0 for no limit. Got -1.");
  EXPECT_ERROR(set(kSecond, {{.memory_limit = kAllMiB + 1}}), InvalidArgumentError,
               "must be more than 0 and at most");
  EXPECT_ERROR(set(kSecond, {{}, {}}), InvalidArgumentError, "a device cannot be divided");
  EXPECT_ERROR(set("/GPU:7", {{.memory_limit = 1}}), NotFoundError, "/GPU:7 cannot be used");
  EXPECT_ERROR(set(kCPU, {{.memory_limit = 1}}), UnimplementedError, "/CPU:0 cannot be limited");
}

TEST(GpuFaults, SayHowToFindTheOp) {
  const Tensor x = Tensor{1.f, 2.f}.to(kFirst);
  Tensor y;
  {
    const Environment fault("ALULA_EMULATED_FAULT", "add");
    y = add(x, x);  // launched, no more
  }
  EXPECT_ERROR(y.to(kCPU), InternalError, "run the program with ALULA_SYNC=1");
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 2}));
}

TEST(GpuFaults, NameTheOpWhereExecutionIsSynchronous) {
  const Synchronous synchronous;
  EXPECT_TRUE(config::get_synchronous_execution());
  const Tensor x = Tensor{1.f, 2.f}.to(kFirst);
  const Environment fault("ALULA_EMULATED_FAULT", "maximum");
  EXPECT_EQ(add(x, x).to_vector<float>(), (std::vector<float>{2, 4}));
  EXPECT_ERROR(maximum(x, x), InternalError,
               "maximum: its kernel failed on the GPU. Got float32[2], float32[2].");
}

TEST(GpuFaults, NameTheOpInACompiledFunction) {
  const auto f = function([](const Tensor& x) { return cumsum(reverse(x, {0})); });
  const auto scope = device(kFirst);
  const Tensor x = Tensor{1.f, 2.f, 3.f};
  EXPECT_EQ(f(x).to_vector<float>(), (std::vector<float>{3, 5, 6}));
  const Environment fault("ALULA_EMULATED_FAULT", "cumsum");
  EXPECT_ERROR(f(x).to(kCPU), InternalError, "ALULA_SYNC=1");
  const Synchronous synchronous;
  EXPECT_ERROR(f(x).to(kCPU), InternalError,
               "cumsum: its kernel failed on the GPU. Got float32[3]");
}
