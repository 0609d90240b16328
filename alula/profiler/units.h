#pragma once
#include <cstdint>
#include <string>

namespace alula::profiler {

/// A time with three or four digits: "12.3 us", "1.20 s".
std::string time_text(double seconds);
/// "512 B", "1.50 MiB".
std::string bytes_text(int64_t bytes);

}  // namespace alula::profiler
