#pragma once
#include "alula/runtime/devices.h"
#include "alula/runtime/plugin.h"
#include "alula/testing/harness.h"

namespace alula::testing {

inline const Device kGpu{DeviceType::kGPU, 0};

/// A test that needs a GPU; skipped, with the reason, where there is none.
class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (config::list_physical_devices(DeviceType::kGPU).empty()) GTEST_SKIP() << plugin::reason();
  }
  static Backend& gpu() { return backend_of(kGpu); }
};

/// Counts the ops that run, and fails if one runs anywhere but on the GPU.
class OnGpu final : public Listener {
 public:
  void ran(const Op& op, Device device, TensorRefs, std::span<const Tensor>) override {
    if (std::string_view(op.name()) == "to") return;  // results are copied to be compared
    ++count_;
    if (device != kGpu) ADD_FAILURE() << op.name() << " ran on " << to_string(device);
  }
  int count() const { return count_; }

 private:
  int count_ = 0;
};

}  // namespace alula::testing
