#include "alula/data/budget.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <unistd.h>

namespace alula::data {

namespace {

/// The number in a file, or `otherwise`: there may be no such file, or a word in it.
int64_t number_in(const char* path, int64_t otherwise) {
  std::ifstream file(path);
  int64_t number = 0;
  return file >> number ? number : otherwise;
}

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

/// What the control group of a container may have, and has.
int64_t group_limit() {
  return std::min(number_in("/sys/fs/cgroup/memory.max", kNoLimit),
                  number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", kNoLimit));
}
int64_t group_usage() {
  return std::max(number_in("/sys/fs/cgroup/memory.current", 0),
                  number_in("/sys/fs/cgroup/memory/memory.usage_in_bytes", 0));
}

}  // namespace

int64_t Budget::default_limit() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGE_SIZE);
  constexpr int64_t kLeast = int64_t{64} << 20;
  const int64_t memory = pages > 0 ? pages * bytes : 0;
  return std::max(kLeast, std::min(memory, group_limit()) / 8);
}

int64_t available_memory() {
  const int64_t limit = group_limit();
  const int64_t in_group =
      limit == kNoLimit ? kNoLimit : std::max<int64_t>(0, limit - group_usage());

  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  for (int64_t kilobytes = 0; file >> name >> kilobytes; std::getline(file, unit))
    if (name == "MemAvailable:") return std::min(in_group, kilobytes * 1024);
  return in_group;
}

}  // namespace alula::data
