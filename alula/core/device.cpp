#include "alula/core/device.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "alula/core/error.h"

namespace alula {
namespace {

constexpr std::array<std::string_view, kDeviceTypeCount> kNames = {"CPU", "GPU", "SIM"};

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::toupper(x) == std::toupper(y);
  });
}

/// "/job:localhost/replica:0/task:0/device:GPU:1" -> "GPU:1", "/GPU:0" -> "GPU:0"
std::string_view last_part(std::string_view name) {
  const size_t slash = name.rfind('/');
  if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
  constexpr std::string_view kPrefix = "device:";
  if (name.size() > kPrefix.size() && equal_ignoring_case(name.substr(0, kPrefix.size()), kPrefix))
    name.remove_prefix(kPrefix.size());
  return name;
}

}  // namespace

Device::Device(std::string_view name) {
  const std::string_view part = last_part(name);
  const size_t colon = part.find(':');
  const auto found = std::find_if(kNames.begin(), kNames.end(), [&](std::string_view known) {
    return equal_ignoring_case(known, part.substr(0, colon));
  });
  int number = 0;
  bool valid = found != kNames.end();
  if (valid && colon != std::string_view::npos) {
    const char* end = part.data() + part.size();
    const auto [rest, error] = std::from_chars(part.data() + colon + 1, end, number);
    valid = error == std::errc() && rest == end && number >= 0 && number <= 255;
  }
  require(valid, "device: \"{}\" is not a device's name. Write it like \"/CPU:0\" or \"/GPU:0\".",
          name);
  type = static_cast<DeviceType>(found - kNames.begin());
  index = static_cast<uint8_t>(number);
}

std::string to_string(Device device) {
  if (device.type == DeviceType::kSymbolic) return "nowhere (symbolic)";
  return fmt::format("/{}:{}", kNames[static_cast<int>(device.type)], device.index);
}

}  // namespace alula
