#include "alula/core/device.h"

#include "alula/testing/harness.h"

using namespace alula;

TEST(Device, HasManySpellings) {
  const Device first(DeviceType::kGPU), second(DeviceType::kGPU, 1);
  for (const char* name :
       {"/GPU:0", "GPU:0", "gpu:0", "/gpu:0", "GPU", "gpu", "Gpu", "/device:GPU:0", "device:gpu:0",
        "/Device:GPU:0", "/device:GPU", "/job:localhost/replica:0/task:0/device:GPU:0"})
    EXPECT_EQ(Device(name), first) << name;
  for (const char* name : {"/GPU:1", "gpu:1", "/device:GPU:1"})
    EXPECT_EQ(Device(name), second) << name;
  for (const char* name : {"/CPU:0", "cpu", "/device:cpu:0"}) EXPECT_EQ(Device(name), kCPU) << name;
  EXPECT_EQ(Device("/SIM:2"), Device(DeviceType::kSimulated, 2));
  EXPECT_EQ(Device("GPU:255").index, 255);
  EXPECT_TRUE(kCPU.is_cpu());
  EXPECT_FALSE(first.is_cpu());
  EXPECT_LT(first, second);
}

TEST(Device, NamesItself) {
  EXPECT_EQ(to_string(Device("cpu")), "/CPU:0");
  EXPECT_EQ(to_string(Device("gpu:17")), "/GPU:17");
  EXPECT_EQ(fmt::format("{}", Device("/device:SIM:3")), "/SIM:3");
}

TEST(Device, RefusesOtherNames) {
  for (const char* name : {"", "/", ":", ":0", "GPU:", "/GPU:x", "GPU:0x", "GPU:-1", "GPU:+1",
                           "GPU: 1", "GPU:256", "GPU:99999999999999999999", "GPU:0:0", "TPU:0",
                           "GPUs", "CPU/", "device:", "/device:", " GPU"})
    EXPECT_ERROR(Device(name), InvalidArgumentError,
                 fmt::format("device: \"{}\" is not a device's name. Write it like \"/CPU:0\" or "
                             "\"/GPU:0\".",
                             name));
  EXPECT_ERROR(Device(DeviceType::kGPU, 256), InvalidArgumentError, "between 0 and 255. Got 256.");
  EXPECT_ERROR(Device(DeviceType::kGPU, -1), InvalidArgumentError, "between 0 and 255. Got -1.");
}
