#include "alula/data/budget.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <unistd.h>

namespace alula::data {

int64_t Budget::default_limit() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGE_SIZE);
  constexpr int64_t kLeast = int64_t{64} << 20;
  return std::max(kLeast, pages > 0 ? pages / 8 * bytes : 0);
}

int64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  for (int64_t kilobytes = 0; file >> name >> kilobytes; std::getline(file, unit))
    if (name == "MemAvailable:") return kilobytes * 1024;
  return std::numeric_limits<int64_t>::max();  // not known
}

}  // namespace alula::data
