#include "alula/runtime/devices.h"

#include "alula/core/log.h"
#include "alula/runtime/plugin.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

class Devices : public ::testing::Test {
 protected:
  void SetUp() override {
    test_devices();
    before_ = logging::set_handler(
        [this](logging::Level, std::string_view message) { messages.emplace_back(message); });
  }
  void TearDown() override {
    logging::set_handler(before_);
    config::set_soft_device_placement(true);
  }
  const Device sim = "/SIM:0";
  std::vector<std::string> messages;

 private:
  logging::Handler before_;
};

/// A device that does nothing, for the list of devices.
class Idle final : public Backend {
 public:
  explicit Idle(Device device) : device_(device) {}
  Device device() const override { return device_; }
  void* allocate(size_t) override { return nullptr; }
  void release(void*, size_t) noexcept override {}
  std::string description() const override { return "idle"; }
  MemoryInfo memory() const override { return {}; }
  bool supports(const Op&, SpecRefs) const override { return false; }
  void run(const Op&, std::span<const View>, std::span<const View>) override {}
  std::unique_ptr<Executable> prepare(std::vector<Step>) override { return nullptr; }
  void copy_from_host(void*, const void*, size_t) override {}
  void copy_to_host(void*, const void*, size_t) override {}
  void copy(void*, const void*, size_t) override {}
  Ticket record() override { return 0; }
  void wait(Ticket) override {}
  bool done(Ticket) override { return true; }

 private:
  Device device_;
};

bool has_gpu() { return !config::list_physical_devices(DeviceType::kGPU).empty(); }

}  // namespace

TEST_F(Devices, AMissingGpuIsReplacedWithOneWarning) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  for (int i = 0; i < 3; ++i) {
    const auto scope = device("/GPU:0");
    EXPECT_EQ(usable("/GPU:0"), kCPU);
    EXPECT_EQ(Tensor({1.f}).to("/device:GPU:0").device(), kCPU);
  }
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0],
            "/GPU:0 was asked for, but there is no usable one: " + plugin::reason() +
                ". Running on /CPU:0.\n  Set soft placement off to make this an error. "
                "(This is said once.)");
  EXPECT_FALSE(plugin::reason().empty());
}

TEST_F(Devices, AMissingGpuIsAnErrorWithoutSoftPlacement) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  config::set_soft_device_placement(false);
  EXPECT_FALSE(config::get_soft_device_placement());
  EXPECT_ERROR(device("/GPU:0"), NotFoundError,
               "/GPU:0 was asked for, but there is no usable one: " + plugin::reason());
  EXPECT_ERROR(Tensor({1.f}).to("/GPU:0"), NotFoundError, plugin::reason());
  EXPECT_ERROR(backend_of("/GPU:0"), NotFoundError,
               "device: /GPU:0 cannot be used: " + plugin::reason());
  EXPECT_TRUE(messages.empty());
}

TEST_F(Devices, WhatIsMissingIsSaid) {
  EXPECT_ERROR(backend_of("/CPU:1"), NotFoundError, "there is one CPU device, /CPU:0");
  EXPECT_ERROR(backend_of("/SIM:9"), NotFoundError, "no simulated device has been added");
  EXPECT_ERROR(backend_of(Device(DeviceType::kSimulated, 200)), InvalidArgumentError,
               "at most 16 devices of a type. Got /SIM:200.");
  if (!has_gpu()) return;
  EXPECT_ERROR(backend_of("/GPU:15"), NotFoundError, "cannot be used: there");
}

TEST_F(Devices, AreListedTheCpuFirst) {
  const std::vector<Device> all = config::list_physical_devices();
  EXPECT_EQ(all.front(), kCPU);
  EXPECT_NE(std::find(all.begin(), all.end(), sim), all.end());
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_EQ(config::list_physical_devices(DeviceType::kCPU), std::vector<Device>{kCPU});
  EXPECT_TRUE(messages.empty()) << "to look is not to ask for one";
}

TEST_F(Devices, AreAddedAndRemoved) {
  const Device idle(DeviceType::kSimulated, 9);
  add_backend(std::make_unique<Idle>(idle));
  EXPECT_EQ(usable(idle), idle);
  EXPECT_EQ(backend_of(idle).description(), "idle");
  EXPECT_ERROR(add_backend(std::make_unique<Idle>(idle)), FailedPreconditionError,
               "/SIM:9 is there already");
  EXPECT_EQ(config::list_physical_devices(DeviceType::kSimulated).back(), idle);
  remove_backend(idle);
  EXPECT_ERROR(backend_of(idle), NotFoundError, "/SIM:9 cannot be used");
}

TEST_F(Devices, ThreadsAreSet) {
  config::set_intra_op_parallelism_threads(3);
  EXPECT_EQ(config::get_intra_op_parallelism_threads(), 3);
  config::set_intra_op_parallelism_threads(0);
  EXPECT_GE(config::get_intra_op_parallelism_threads(), 1);
}

TEST_F(Devices, TensorsGoThereAndBack) {
  for (int i = 0; i < kDTypeCount - 1; ++i)
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{3, 5}, Shape{100, 1000}}) {
      const Tensor here = random_tensor({static_cast<DType>(i), shape});
      const Tensor there = here.to(sim);
      EXPECT_EQ(there.device(), sim);
      EXPECT_EQ(there.spec(), here.spec());
      const Tensor back = there.to("/CPU:0");
      EXPECT_EQ(back.device(), kCPU);
      EXPECT_EQ(to_array(back).values, to_array(here).values);
      EXPECT_TRUE(here.to(kCPU).same_as(here));
      EXPECT_TRUE(there.to(sim).same_as(there));
      EXPECT_TRUE(here.cpu().same_as(here));
    }
}

TEST_F(Devices, ElementsAreReadFromAnywhere) {
  const Tensor x = Tensor({{1, 2}, {3, 4}}).to(sim);
  EXPECT_EQ(x.to_vector<int32_t>(), (std::vector<int32_t>{1, 2, 3, 4}));
  EXPECT_EQ(Tensor(2.5f).to(sim).item<float>(), 2.5f);
  EXPECT_EQ(x.str(), x.cpu().str());
  EXPECT_ERROR(x.span<int32_t>(), FailedPreconditionError,
               "its elements are on /SIM:0. Got int32[2,2]. Use cpu() or to_vector().");
}

TEST_F(Devices, StringsStayOnTheCpu) {
  const Tensor words = {"one", "three"};
  EXPECT_ERROR(words.to(sim), InvalidArgumentError,
               "tensor: strings stay on the CPU. Got string[2], asked for /SIM:0.");
  EXPECT_TRUE(words.to(kCPU).same_as(words));
  EXPECT_ERROR(Tensor().to(sim), FailedPreconditionError, "it is not defined yet");
}
