#include "alula/testing/gpu_run.h"

#include <cstdlib>
#include <fstream>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "alula/io/json.h"
#include "alula/runtime/devices.h"
#include "alula/runtime/plugin.h"
#include "alula/testing/watched_backend.h"

namespace alula::testing {
namespace {

constexpr Device kGpu{DeviceType::kGPU, 0};

/// Puts tests into the GPU's scope, and notes how many kernels each has run there.
class GpuRun final : public ::testing::EmptyTestEventListener {
 public:
  explicit GpuRun(bool in_scope) : in_scope_(in_scope) {}

  void OnTestStart(const ::testing::TestInfo&) override {
    before_ = watched(kGpu).all_kernels();
    if (in_scope_) scope_.emplace(kGpu);
  }
  void OnTestEnd(const ::testing::TestInfo& test) override {
    scope_.reset();
    const int64_t overruns = watched(kGpu).overruns;
    check_guards(kGpu);
    EXPECT_EQ(watched(kGpu).overruns, overruns) << "a kernel wrote past the end of a block";
    const int64_t kernels = watched(kGpu).all_kernels() - before_;
    const std::string name = fmt::format("{}.{}", test.test_suite_name(), test.name());
    const char* result = test.result()->Skipped()  ? "skipped"
                         : test.result()->Failed() ? "failed"
                                                   : "passed";
    if (kernels > 0) ++on_gpu_;
    tests_.emplace_back(
        io::Json::Object{{"name", name}, {"result", result}, {"kernels", io::Json(kernels)}});
  }
  void OnTestProgramEnd(const ::testing::UnitTest&) override {
    const Watched ran = watched(kGpu);
    fmt::print("{}: {} kernels of {} ops, in {} of {} tests.\n", to_string(kGpu), ran.all_kernels(),
               ran.kernels.size(), on_gpu_, tests_.size());
    for (const auto& [call, refused] : ran.refused)
      fmt::print("  on the CPU instead: {}, {} calls: {}\n", call, refused.calls, refused.why);
    if (const char* path = std::getenv("ALULA_GPU_REPORT")) write(path, ran);
  }

 private:
  void write(const std::string& path, const Watched& ran) {
    io::Json::Object kernels, refused;
    for (const auto& [op, count] : ran.kernels) kernels.push_back({op, io::Json(count)});
    for (const auto& [call, what] : ran.refused)
      refused.push_back(
          {call, io::Json::Object{{"calls", io::Json(what.calls)}, {"why", io::Json(what.why)}}});
    const io::Json report(io::Json::Object{{"gpu", backend_of(kGpu).description()},
                                           {"in_scope", io::Json(in_scope_)},
                                           {"tests", io::Json(tests_)},
                                           {"kernels", io::Json(kernels)},
                                           {"refused", io::Json(refused)}});
    std::ofstream(path) << report.dump() << '\n';
  }

  bool in_scope_;
  int64_t before_ = 0;
  int64_t on_gpu_ = 0;  // tests
  std::optional<DeviceScope> scope_;
  io::Json::Array tests_;
};

}  // namespace

int begin_gpu_run() {
  const char* asked = std::getenv("ALULA_TEST_GPU");
  if (asked == nullptr) return 0;
  if (config::list_physical_devices(DeviceType::kGPU).empty()) {
    fmt::print("No test was run: Skipped\n{}\n\n[  SKIPPED ]\n", plugin::reason());
    return kSkipped;
  }
  watch(kGpu, std::getenv("ALULA_TEST_GPU_GUARD") != nullptr ? Guard::kYes : Guard::kNo);
  ::testing::UnitTest::GetInstance()->listeners().Append(
      new GpuRun(std::string_view(asked) == "scope"));
  return 0;
}

int end_gpu_run(int status) {
  const bool asked = std::getenv("ALULA_TEST_GPU") != nullptr;
  if (status != 0 || !asked || ::testing::UnitTest::GetInstance()->test_to_run_count() == 0)
    return status;
  if (watched(kGpu).all_kernels() > 0) return 0;
  fmt::print("[  FAILED  ] no kernel ran on {}\n", to_string(kGpu));
  return 1;
}

}  // namespace alula::testing
