#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "alula/core/error.h"
#include "alula/core/format.h"

namespace alula {

enum class DeviceType : uint8_t {
  kCPU,
  kGPU,
  kSimulated,  // a device in host memory, for tests: '/SIM:0'
  kSymbolic,   // nowhere: a tensor that stands for a value to come
};

/// The types of devices that compute.
inline constexpr int kDeviceTypeCount = 3;

/// A place where tensors live and ops run. Devices are counted from 0 within their type.
struct Device {
  DeviceType type = DeviceType::kCPU;
  uint8_t index = 0;

  constexpr Device() = default;
  constexpr Device(DeviceType type, int index = 0)
      : type(type), index(static_cast<uint8_t>(index)) {
    require(index >= 0 && index <= 255, "device: its number must be between 0 and 255. Got {}.",
            index);
  }
  /// From TensorFlow's names: "/CPU:0", "/GPU:0", "/device:GPU:1", "gpu:0", "cpu".
  Device(std::string_view name);
  Device(const char* name) : Device(std::string_view(name)) {}

  constexpr bool is_cpu() const { return type == DeviceType::kCPU; }
  constexpr auto operator<=>(const Device&) const = default;
};

inline constexpr Device kCPU{DeviceType::kCPU};

/// "/GPU:0"
std::string to_string(Device device);

}  // namespace alula

template <>
struct fmt::formatter<alula::Device> : alula::TextFormatter<alula::Device> {};
