#pragma once
#include <map>
#include <mutex>
#include <string>

#include "alula/core/device.h"

/// What a device was asked to do: a test proves with it that its kernels ran there.
namespace alula::testing {

/// Counts of a device since the process began.
struct Watched {
  /// Calls that the device has no kernel for, and that ran on the CPU instead.
  struct Refused {
    int64_t calls = 0;
    std::string why;
  };
  std::map<std::string, int64_t> kernels;  // by op; a prepared list counts each time that it runs
  std::map<std::string, Refused> refused;  // by op and dtypes

  int64_t overruns = 0;  // blocks of memory behind whose end something was written

  int64_t all_kernels() const;
};

enum class Guard : uint8_t { kNo, kYes };

/// From now on counts what the device runs. It is there already, and is watched once. With guards,
/// each block of its memory has bytes behind it that nobody may change; blocks that were released
/// are kept until check_guards() has looked at theirs.
void watch(Device device, Guard guard = Guard::kNo);
/// Looks at the bytes behind the blocks that have been released since the last time.
void check_guards(Device device);
/// The counts so far; all zero where the device is not watched.
Watched watched(Device device);

}  // namespace alula::testing
