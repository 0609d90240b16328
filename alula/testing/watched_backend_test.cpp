#include "alula/testing/watched_backend.h"

#include "alula/backends/simulated/simulated.h"
#include "alula/graph/function.h"
#include "alula/ops/all.h"
#include "alula/runtime/devices.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::testing;

namespace {

class WatchedBackend : public ::testing::Test {
 protected:
  /// One device for all tests: it cannot be taken away while it is watched.
  static Device device() {
    static const Device device = [] {
      const Device added = simulated::add();
      watch(added, Guard::kYes);
      return added;
    }();
    return device;
  }
};

int64_t calls(const std::string& op, Device device) {
  const Watched counts = watched(device);
  const auto at = counts.kernels.find(op);
  return at == counts.kernels.end() ? 0 : at->second;
}

}  // namespace

TEST_F(WatchedBackend, CountsOpsAndListsEachTimeThatTheyRun) {
  const DeviceScope scope(device());
  const Tensor x = ones({3, 3});
  const int64_t before = calls("matmul", device());
  matmul(x, x);
  EXPECT_EQ(calls("matmul", device()), before + 1);
  const auto f = function([](const Tensor& a) { return matmul(matmul(a, a), a); });
  for (int i = 0; i < 3; ++i) f(x);
  EXPECT_EQ(calls("matmul", device()), before + 1 + 6);
}

TEST_F(WatchedBackend, WhatRunsElsewhereIsNotCounted) {
  const Tensor x = ones({3, 3});
  const int64_t before = watched(device()).all_kernels();
  matmul(x, x);
  EXPECT_EQ(watched(device()).all_kernels(), before);
  EXPECT_EQ(watched(Device(DeviceType::kSimulated, 15)).all_kernels(), 0);
}

TEST_F(WatchedBackend, AWriteBehindABlockIsFound) {
  Backend& backend = backend_of(device());
  check_guards(device());
  const int64_t before = watched(device()).overruns;
  const std::vector<char> bytes(101, 7);
  for (size_t written : {100, 101}) {
    void* block = backend.allocate(100);
    backend.copy_from_host(block, bytes.data(), written);
    backend.release(block, 100);
    check_guards(device());
    EXPECT_EQ(watched(device()).overruns, before + (written > 100));
  }
}
