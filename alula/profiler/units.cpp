#include "alula/profiler/units.h"

#include <iterator>

#include <fmt/format.h>

namespace alula::profiler {
namespace {

std::string with_digits(double value, const char* unit) {
  return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, unit);
}

}  // namespace

std::string time_text(double seconds) {
  if (seconds < 0.9995e-6) return fmt::format("{:.0f} ns", seconds * 1e9);
  if (seconds < 0.9995e-3) return with_digits(seconds * 1e6, "us");
  if (seconds < 0.9995) return with_digits(seconds * 1e3, "ms");
  return with_digits(seconds, "s");
}

std::string bytes_text(int64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1023.5 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return with_digits(value, kUnits[unit]);
}

}  // namespace alula::profiler
